import { defaultHuman } from '../agents/protocol/reserved-names.ts'
import { randomInt } from 'node:crypto'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isRoom } from './protocol/session-kinds.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { requireTestCommands } from './check-test-command.ts'
import type { RoomDeps, RoomLimits } from './room-service.ts'
import type { Ask, Mode, RoomFacts } from './modes/mode.ts'
import { leaveNamesToPeople, type NameClash } from './people-names.ts'

/** A room with all that its mode decides by. */
export interface Room {
  session: Session
  mode: Mode
  facts: RoomFacts
  /** Agents of the room that are not there any more. */
  missing: string[]
  state: Record<string, unknown>
  /** The state continues the stored one; unfinished rounds belong to it. */
  isUnderWay: boolean
  /** Options that it restarts with. */
  options: Record<string, unknown>
}

export async function requireRoom(tx: StoreOperations, scope: string, sessionId: string): Promise<Session> {
  const session = await tx.requireSession(scope, sessionId)
  if (!isRoom(session))
    throw invalidRequest(`The session ${quote(sessionId)} is no room: it has no agents. Set its mode first.`)
  return session
}

/** The room as it is stored; one that never started, or whose state at the end of its log is not kept, starts again. */
export async function openRoom(tx: StoreOperations, deps: RoomDeps, session: Session): Promise<Room> {
  const mode = deps.modes.find(({ name }) => name === session.mode) ?? deps.modes[0]!
  const { facts, missing } = await readFacts(tx, deps, session)
  const stored = await tx.getRoomState(session.id)
  const options = stored?.mode === mode.name ? stored.options : readOptions(mode, session.modeState)
  const state =
    stored?.mode === mode.name && (await isInLog(tx, session, stored))
      ? mode.state.safeParse(stored.state).data
      : undefined
  const isUnderWay = state !== undefined
  return {
    session,
    mode,
    facts,
    missing,
    options,
    isUnderWay,
    state: state ?? beginMode(mode, facts, options),
  }
}

export async function readFacts(
  tx: StoreOperations,
  { readAgents, limits }: RoomDeps,
  session: Pick<Session, 'scope' | 'agents' | 'room'>,
): Promise<{ facts: RoomFacts; missing: string[]; clashes: NameClash[] }> {
  const known = new Map((await readAgents(tx, session.scope)).map((agent) => [agent.name, agent]))
  const names = session.agents ?? []
  const humans = session.room?.humans?.length ? session.room.humans : [{ name: defaultHuman }]
  const there = names.flatMap((name) => known.get(name) ?? [])
  // agents and people are changed apart from one another
  const { agents, clashes } = leaveNamesToPeople(there, humans)
  return {
    facts: {
      agents,
      humans,
      settings: settingsOf(session, limits),
      testCommands: requireTestCommands(limits.testCommands),
    },
    missing: names.filter((name) => !agents.some((agent) => agent.name === name)),
    clashes,
  }
}

function settingsOf({ room = {} }: Pick<Session, 'room'>, limits: RoomLimits): RoomFacts['settings'] {
  const { policy = 'all', moderator, muted, selector, language = 'en', roleMap = {} } = room
  const { hopLimit = limits.hopLimit, coolDown = limits.coolDown, maxReplies = limits.maxReplies } = room
  return { policy, moderator, muted, selector, language, roleMap, hopLimit, coolDown, maxReplies }
}

/** What was made of a log counts as long as that is still there. */
export async function isInLog(
  tx: StoreOperations,
  { scope, id }: Session,
  { throughSeq, throughId }: { throughSeq: number; throughId?: string },
): Promise<boolean> {
  if (throughId === undefined) return true
  return (await tx.getMessage(scope, id, throughId))?.seq === throughSeq
}

/** Options of another shape, as an import may bring them, are left out. */
const readOptions = (mode: Mode, given: unknown): Record<string, unknown> =>
  mode.options.safeParse(given ?? {}).success ? ((given ?? {}) as Record<string, unknown>) : {}

export const beginMode = (mode: Mode, facts: RoomFacts, options: Record<string, unknown>) =>
  mode.begin(facts, mode.options.parse(options), randomInt(2 ** 31))

/** Stores where the mode stands, and shows what all may know of it; answers how long the log is. */
export async function putState(
  tx: StoreOperations,
  { limits }: Pick<RoomDeps, 'limits'>,
  { session, mode, facts, options }: Pick<Room, 'session' | 'mode' | 'facts' | 'options'>,
  state: Record<string, unknown>,
): Promise<number> {
  const { id, scope } = session
  const [last] = await tx.listMessages(scope, id, { limit: 1 })
  const throughSeq = last?.seq ?? 0
  await tx.putRoomState(
    id,
    { mode: mode.name, state, options, throughSeq, throughId: last?.id },
    limits.keptStates,
  )
  const view = mode.view(facts, state)
  const shown = (await tx.requireSession(scope, id)).modeState
  if (JSON.stringify(view) !== JSON.stringify(shown)) await tx.updateSession(scope, id, { modeState: view })
  return throughSeq
}

/** Whether that somebody is asked, and what comes of it, is kept from people who play. */
export const isHidden = ({ mode, facts, state }: Pick<Room, 'mode' | 'facts' | 'state'>, ask: Ask): boolean =>
  ask.isPrivate === true && (mode.isSealed?.(facts, state) ?? false)
