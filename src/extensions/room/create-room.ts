import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { invalidAt } from '../../core/protocol/issues.ts'
import type { RoomSettings } from './protocol/room.ts'
import type { CreateSession, Session, UpdateSession } from '../../core/protocol/session.ts'
import { isRoom, roomSeatSource } from './protocol/session-kinds.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { requireMuted } from './mute-rules.ts'
import { requireNoClash, requirePeople } from './people-names.ts'
import { readFacts } from './open-room.ts'
import { requireSelector } from './selector-agent.ts'
import { requireAgents, requireIdle, setMode } from './rooms.ts'

/** Creates a session, or a room when it names agents or the mode of one. */
export function createRoomOrSession(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  input: Omit<CreateSession, 'scope'>,
  proceed: (
    tx: StoreOperations,
    caller: Caller,
    input: Omit<CreateSession, 'scope'>,
  ) => Promise<Session> = createSession,
): Promise<Session> {
  const { mode = 'free_chat', modeState, ...rest } = input
  const isKnown = deps.modes.some(({ name }) => name === input.mode)
  if (input.toolMeta?.source === roomSeatSource)
    throw invalidRequest(
      `toolMeta.source: ${quote(roomSeatSource)} is for sessions that a room makes itself.`,
    )
  if (input.agents === undefined && !isKnown) {
    if (input.room) throw invalidRequest('"room" is for rooms: name its agents too.')
    return proceed(store, caller, input)
  }
  if (input.planId !== undefined)
    throw invalidRequest('A room cannot be about a plan: leave out one of both.')
  requirePeople(input.room?.humans)
  return store.transaction(async (tx) => {
    const { id } = await proceed(tx, caller, rest)
    const session = await setMode(tx, deps, caller, id, { mode, modeState })
    requireModerator(session.agents, input.room)
    requireSelector(deps.requireModel, session.agents, input.room)
    requireMuted(
      deps.modes.find(({ name }) => name === mode)!,
      session,
    )
    return session
  })
}

/** One who is not there could not answer, and then nobody would. */
function requireModerator(agents: readonly string[] = [], room?: RoomSettings | null): void {
  const { moderator } = room ?? {}
  if (moderator !== undefined && !agents.some((name) => foldName(name) === foldName(moderator)))
    throw invalidAt(
      ['room', 'moderator'],
      `room.moderator: ${quote(moderator)} is not one of the agents of the room.`,
    )
}

/** Refuses a change that a room cannot take; those of other sessions are no concern of it. */
export async function checkRoomPatch(
  tx: StoreOperations,
  deps: RoomDeps,
  { scope }: Caller,
  id: string,
  { agents, room, planId }: UpdateSession,
): Promise<void> {
  if (agents === undefined && room === undefined && planId === undefined) return
  const session = await tx.requireSession(scope, id)
  if (!isRoom(session)) {
    if (agents !== undefined || room) throw invalidRequest('The session is no room: set its mode first.')
    return
  }
  if (planId) throw invalidRequest('A room cannot be about a plan.')
  await requireIdle(tx, id)
  requireModerator(agents ?? session.agents, room)
  requirePeople(room?.humans)
  if (!agents && room === undefined) return
  const changed = {
    ...session,
    agents: agents ?? session.agents,
    room: room === undefined ? session.room : (room ?? {}),
  }
  const mode = deps.modes.find(({ name }) => name === session.mode) ?? deps.modes[0]!
  if (room) requireMuted(mode, changed, session.room?.muted)
  if (room) requireSelector(deps.requireModel, changed.agents, room, session.room?.selector)
  const { missing, clashes } = await readFacts(tx, deps, changed)
  requireNoClash(clashes)
  if (!agents) return
  requireAgents(mode, agents.length, missing)
}
