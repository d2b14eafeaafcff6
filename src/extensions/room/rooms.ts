/** Rooms as front ends and programs use them. */
import { z } from 'zod'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { conflict, invalidRequest, quote } from '../../core/protocol/error.ts'
import { invalidAt, misfit } from '../../core/protocol/issues.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { Advance, RoomMode, RoomRecord, Round, RoundPage, RoundTurn, SetMode } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import { auditSession, type Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import { findPerson, requirePerson } from './speakers.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomRound } from './active-round.ts'
import type { StoredTurn } from './read-answers.ts'
import type { RoomDeps } from './room-service.ts'
import { decideAdvance, findOpenRound } from './first-decision.ts'
import type { Mode } from './modes/mode.ts'
import { requireMutable } from './mute-rules.ts'
import { requireNoClash } from './people-names.ts'
import { beginMode, isHidden, openRoom, putState, readFacts, requireRoom, type Room } from './open-room.ts'

export const listModes = ({ modes }: RoomDeps): RoomMode[] => modes.map(toRoomMode)

const toRoomMode = ({ name, label, icon, description, minAgents, maxAgents, options }: Mode): RoomMode => ({
  name,
  label,
  icon,
  description,
  minAgents,
  maxAgents,
  options: z.toJSONSchema(options, { io: 'input' }) as Record<string, unknown>,
})

const friends = ['mira', 'quill', 'pip']
const team = ['coder', 'reviewer', 'tester']

/** Who is in a room that names nobody; three are too few for a village. */
const defaultAgents = (mode: string) =>
  mode === 'workflow' ? team : mode === 'werewolf' ? [...friends, ...team] : friends

/** Sets the mode of a session and restarts it; one without agents gets those that come with Parley. */
export function setMode(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { mode: name, modeState = {} }: Omit<SetMode, 'scope'>,
): Promise<Session> {
  return store.transaction(async (tx) => {
    const before = await tx.requireSession(caller.scope, sessionId)
    const mode = requireMode(deps, name)
    if (before.kind !== 'interactive')
      throw invalidRequest(`A session of the kind ${quote(before.kind)} cannot be a room.`)
    await requireIdle(tx, sessionId)
    requireMutable(mode, before.room)
    const options = mode.options.safeParse(modeState)
    if (!options.success)
      throw misfit(options.error, modeState, { before: 'modeState:', within: ['modeState'] })
    const agents = before.agents ?? defaultAgents(name)
    const { facts, missing, clashes } = await readFacts(tx, deps, { ...before, agents })
    requireNoClash(clashes)
    requireAgents(mode, agents.length, missing)
    const state = beginMode(mode, facts, modeState)
    const session = await tx.updateSession(caller.scope, sessionId, {
      mode: name,
      agents,
      modeState: mode.view(facts, state),
    })
    await leaveSeats(tx, deps, session)
    await closeRound(tx, sessionId)
    await putState(tx, deps, { session, mode, facts, options: modeState }, state)
    await auditSession(tx, caller, 'update', sessionId, { fields: ['mode'], mode: name })
    await tx.recordEvent(caller.scope, { type: 'room-updated', sessionId, data: { mode: name } })
    return session
  })
}

function requireMode({ modes }: RoomDeps, name: string): Mode {
  const mode = modes.find((one) => one.name === name)
  if (!mode)
    throw invalidAt(
      ['mode'],
      `There is no mode ${quote(name)}. Known modes: ${modes.map((one) => one.name).join(', ')}.`,
    )
  return mode
}

export function requireAgents(mode: Mode, count: number, missing: readonly string[]): void {
  if (missing.length > 0)
    throw invalidAt(
      ['agents'],
      `agents: there is no agent ${missing.map((name) => quote(name)).join(', ')} in this scope.`,
    )
  if (count > mode.maxAgents)
    throw invalidAt(
      ['agents'],
      `agents: ${count} are too many for ${quote(mode.name)}; the most is ${mode.maxAgents}.`,
    )
  if (count < mode.minAgents)
    throw invalidAt(
      ['agents'],
      `agents: ${count} are too few for ${quote(mode.name)}; the least is ${mode.minAgents}.`,
    )
}

export async function requireIdle(tx: StoreOperations, sessionId: string): Promise<void> {
  const [open] = await tx.listOpenRuns(sessionId)
  if (open) throw conflict(`The room is busy with ${quote(open.id)}; stop it or wait.`, { runId: open.id })
}

/** Agents start with the public log; what one of them alone knew belongs to another game. */
async function leaveSeats(tx: StoreOperations, deps: RoomDeps, { id, scope }: Session): Promise<void> {
  for (const { sessionId } of await tx.listSeats(id))
    if (await tx.getSession(scope, sessionId)) await deps.deleteSession(tx, scope, sessionId)
  await tx.deleteSeats(id)
}

/** An open round of another game is not continued. */
export async function closeRound(tx: StoreOperations, sessionId: string): Promise<void> {
  const round = await tx.getNewestRound(sessionId)
  if (round && round.finishedAt === undefined) await tx.finishRound(round)
}

/** Stores a run that advances the room. `begin` after the commit. */
export function advanceRoom(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { from: given, action }: Omit<Advance, 'scope'>,
): Promise<{ run: Run; begin(): void }> {
  return store.transaction(async (tx) => {
    const session = await requireRoom(tx, caller.scope, sessionId)
    await requireIdle(tx, sessionId)
    const from = requirePerson(session, given, caller.keyName)
    // what cannot be done is refused before anything is stored
    await decideAdvance(tx, await openRoom(tx, deps, session), { from, action })
    const input: TurnInput = {
      message: { id: deps.ids.next('msg'), parts: [] },
      room: { from, advance: action ? { action } : {} },
      skipSummary: true,
    }
    return deps.chats.admit(tx, { scope: caller.scope, sessionId }, input, 'reject')
  })
}

/** The room as one person may see it. */
export async function readRoom(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  as?: string,
): Promise<RoomRecord> {
  const session = await requireRoom(store, caller.scope, sessionId)
  const room = await openRoom(store, deps, session)
  const { mode, facts, missing, state } = room
  const viewer = findViewer(caller, room, as)
  const isIdle = (await store.listOpenRuns(sessionId)).length === 0
  const canResume = isIdle && (await findOpenRound(store, room)) !== undefined
  const sealed = mode.isSealed?.(facts, state) ?? false
  // being asked at night would reveal a player's role
  const asks = mode.asksOfPeople?.(facts, state) ?? []
  return {
    id: session.id,
    mode: toRoomMode(mode),
    state: mode.view(facts, state),
    settings: { ...session.room, ...facts.settings, humans: [...facts.humans] },
    agents: [...facts.agents],
    missing,
    asks: isIdle ? asks.filter(({ human }) => !sealed || human === viewer) : [],
    ...(viewer !== undefined &&
      mode.playerView && { player: { name: viewer, ...mode.playerView(facts, state, viewer) } }),
    sealed,
    canAdvance: isIdle && (canResume || (mode.canAdvance?.(facts, state) ?? false)),
  }
}

/** Whose eyes it is seen with: a key that has a name sees what its person may, or what all may. */
function findViewer(
  { keyName }: Caller,
  { session, facts }: Room,
  as: string | undefined,
): string | undefined {
  if (as !== undefined) return requirePerson(session, as, keyName)
  if (keyName !== undefined && session.room?.humans?.length) return findPerson(session, keyName)
  return facts.humans.find(({ plays }) => plays)?.name
}

interface RoundFilter {
  run?: string
  limit?: number
  cursor?: string
  limits: PageLimits
}

export async function listRounds(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { run: runId, limit, cursor, limits }: RoundFilter,
): Promise<RoundPage> {
  const room = await openRoom(store, deps, await requireRoom(store, caller.scope, sessionId))
  const page = await store.listRounds(sessionId, { runId, limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map((round) => toRound(room, round as RoomRound)) }
}

const toRound = (
  room: Room,
  { runId, number, routing, turns, messageIds, createdAt, finishedAt }: RoomRound,
): Round => ({
  runId,
  number,
  routing,
  turns: turns.filter(({ ask }) => !isHidden(room, ask)).map(toTurn),
  messageIds,
  createdAt: toTimestamp(createdAt),
  ...(finishedAt !== undefined && { finishedAt: toTimestamp(finishedAt) }),
})

function toTurn({ agent, ask, runId, sessionId, answer }: StoredTurn): RoundTurn {
  const text = answer?.text || (answer?.data && JSON.stringify(answer.data))
  return {
    agent,
    status: answer?.status ?? 'asked',
    runId,
    sessionId,
    ...(ask.isPrivate && { private: true, ...(text && { text }) }),
    ...(ask.whisper && { whisper: ask.whisper }),
    ...(answer?.error && { error: answer.error }),
  }
}
