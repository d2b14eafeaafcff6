/** Agents of a room that are not asked, whoever calls them. */
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { invalidAt } from '../../core/protocol/issues.ts'
import type { Session } from '../../core/protocol/session.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import type { Mode } from './modes/mode.ts'

type InRoom = Pick<Session, 'agents' | 'room'>

/** The agent of the room that goes by this name. */
export function requireAgentOf({ agents = [] }: Pick<Session, 'agents'>, given: string): string {
  const name = agents.find((one) => foldName(one) === foldName(given))
  if (name === undefined)
    throw invalidRequest(
      `There is no agent ${quote(given)} in this room; its agents are ${agents.map((one) => quote(one)).join(', ')}.`,
    )
  return name
}

/** A mode that needs all of its agents does not begin while some are muted. */
export function requireMutable(mode: Mode, room: Session['room']): void {
  const { muted = [] } = room ?? {}
  if (muted.length > 0 && !mode.canMute)
    throw invalidRequest(
      `The mode ${quote(mode.name)} needs all of its agents, and ${muted.map((one) => quote(one)).join(', ')} is muted: unmute it first.`,
    )
}

export function requireCanMute(mode: Mode): void {
  if (!mode.canMute)
    throw invalidRequest(`The mode ${quote(mode.name)} needs all of its agents: none of them can be muted.`)
}

/** Refuses to mute an agent that is not in the room; one that was muted before may have left since. */
export function requireMuted(
  mode: Mode,
  { agents = [], room }: InRoom,
  before: readonly string[] = [],
): void {
  const { muted = [] } = room ?? {}
  if (muted.length > 0) requireCanMute(mode)
  const unknown = muted.find((name) => !agents.includes(name) && !before.includes(name))
  if (unknown !== undefined)
    throw invalidAt(['room', 'muted'], `room.muted: ${quote(unknown)} is not one of the agents of the room.`)
}
