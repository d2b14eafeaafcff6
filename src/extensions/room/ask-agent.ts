/**
 * The seats of a room: for each agent a session that is the room as this agent sees it. Before an agent is asked, its
 * seat catches up with the log; its answer is an ordinary turn of that session.
 */
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Agent } from '../agents/protocol/agent.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import { resultsFrom } from '../agents/protocol/reserved-names.ts'
import type { Message, Part } from '../../core/protocol/message.ts'
import type { Session } from '../../core/protocol/session.ts'
import { roomSeatSource } from './protocol/session-kinds.ts'
import type { WindowSettings } from '../../core/protocol/window.ts'
import { rightsOf } from '../../core/sessions/copied-rights.ts'
import { overlaySettings, resolveWindow } from '../../core/sessions/window/window-settings.ts'
import type { Seat } from './store/rooms.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { NewSession } from '../../core/store/queries/sessions.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { usualHistory } from './chat-context.ts'
import type { RoomDeps } from './room-service.ts'
import { attribute } from './attribute-speakers.ts'
import { displayNameOf, findDisplayName } from './name-lookup.ts'
import type { Ask } from './modes/mode.ts'
import { describePeers, describeSelf } from './persona.ts'
import { nothingNew, project, type Projection } from './project-log.ts'
import { isInLog, type Room } from './open-room.ts'
import { selectorAgent, selectorPersona, selectorRules } from './selector-agent.ts'

/** The run that asks an agent. */
export interface Round {
  run: Run
  /** How long the log was before the input: what agents change is undone with it. */
  undoSeq: number
}

/** Somebody who is asked, in the run that answers. */
export interface Asked {
  agent: string
  sessionId: string
  runId: string
  begin(): void
}

/** Stores the turn of an agent in the open transaction. `begin` after the commit. */
export async function askAgent(
  tx: StoreOperations,
  deps: RoomDeps,
  room: Room,
  round: Round,
  ask: Ask,
): Promise<Asked | undefined> {
  const agent = ask.selects
    ? selectorAgent(room.facts)
    : room.facts.agents.find(({ name }) => name === ask.agent)
  if (!agent) return undefined
  const { window } = round.run.input as TurnInput
  const { session: seat, unread } = await catchUpSeat(tx, deps, room, agent, window)
  const input = toTurn(deps, room, round, { agent, ask, unread: withWhisper(room, agent, ask, unread) })
  const { run } = round
  const place = { scope: seat.scope, sessionId: seat.id }
  const { run: turn, begin } = await deps.chats.admit(tx, place, input, 'enqueue', {
    parentId: run.id,
    timeoutMs: agent.limits?.timeoutMs ?? deps.limits.agentTimeoutMs,
    budget: room.session.room?.budget && { id: run.id },
  })
  return { agent: agent.name, sessionId: seat.id, runId: turn.id, begin }
}

/** A whisper comes after the messages of the room. */
function withWhisper({ facts }: Room, agent: Agent, { whisper }: Ask, unread: UnreadLog): UnreadLog {
  if (!whisper) return unread
  const from = findDisplayName(facts.humans, whisper.from)
  const [{ text }, ...files] = unread.parts as [Part, ...Part[]]
  const whispered = attribute(from, whisper.text, [displayNameOf(agent)], { whispered: 'true' })
  return {
    ...unread,
    parts: [
      { type: 'text', text: text === nothingNew ? whispered : `${String(text)}\n${whispered}` },
      ...files,
    ],
    userText: `${unread.userText}\n${whisper.text}`,
  }
}

// of a room that talked for long without somebody
const maxNews = 200
// of one whose window has no limit
const maxHistory = 1_000

interface UnreadLog extends Projection {
  /** The part that people wrote: the only text whose references count. */
  userText: string
  /** The last message of the log. */
  last?: Pick<Message, 'seq' | 'id'>
}

/** Brings the seat up to date with the log of the room. */
async function catchUpSeat(
  tx: StoreOperations,
  deps: RoomDeps,
  room: Room,
  agent: Agent,
  window: WindowSettings | undefined,
): Promise<{ session: Session; unread: UnreadLog }> {
  const found = await findSeat(tx, deps, room, agent)
  const unread = await readUnread(tx, room, agent, found?.seat, window)
  const session = found
    ? await keepInStep(tx, room, agent, found.session)
    : await createSeat(tx, room, agent, unread)
  await tx.putSeat(room.session.id, {
    agent: agent.name,
    sessionId: session.id,
    throughSeq: unread.last?.seq ?? 0,
    throughId: unread.last?.id,
  })
  return { session, unread }
}

/** A seat that was made of another log than there is now does not count. */
async function findSeat(
  tx: StoreOperations,
  deps: RoomDeps,
  { session: room }: Room,
  agent: Agent,
): Promise<{ seat: Seat; session: Session } | undefined> {
  const seat = (await tx.listSeats(room.id)).find((one) => one.agent === agent.name)
  if (!seat) return undefined
  const session = await tx.getSession(room.scope, seat.sessionId)
  if (!session) return undefined
  if (await isInLog(tx, room, seat)) return { seat, session }
  await deps.deleteSession(tx, room.scope, session.id)
  return undefined
}

/** Messages of the room that the seat has not seen; of more than fits, the newest. */
async function readUnread(
  tx: StoreOperations,
  { session: room, facts }: Room,
  agent: Agent,
  seat: Seat | undefined,
  given: WindowSettings | undefined,
): Promise<UnreadLog> {
  const messages = await tx.listMessages(room.scope, room.id, {
    after: seat?.throughSeq ?? 0,
    // with an end as well, the newest are read
    before: Number.MAX_SAFE_INTEGER,
    limit: seat ? maxNews : historyLimit(overlaySettings(room.window ?? {}, given ?? {})),
  })
  const isUserText = ({ role, metadata }: Message) => role === 'user' && metadata?.from !== resultsFrom
  const userText = messages.filter(isUserText).map((message) => messageText(message))
  const isOwn = ({ role, metadata }: Message) => role === 'assistant' && metadata?.agent === agent.name
  const others = seat ? messages.filter((message) => !isOwn(message)) : messages
  return {
    ...project(others, agent.name, facts),
    userText: userText.join('\n'),
    last: messages.at(-1) ?? lastOf(seat),
  }
}

const lastOf = ({ throughSeq, throughId }: Partial<Seat> = {}) =>
  throughSeq === undefined || throughId === undefined ? undefined : { seq: throughSeq, id: throughId }

async function createSeat(
  tx: StoreOperations,
  room: Room,
  agent: Agent,
  { earlier }: UnreadLog,
): Promise<Session> {
  const { id, scope } = room.session
  const session = await tx.createSession({
    scope,
    kind: 'tool',
    parentId: id,
    title: displayNameOf(agent),
    toolMeta: { source: roomSeatSource, label: agent.name },
    ...seatFields(tx, room, agent),
  })
  if (earlier.length > 0) await tx.appendMessages(scope, session.id, earlier)
  return session
}

/** What the room or the agent may do can change between two turns. */
async function keepInStep(tx: StoreOperations, room: Room, agent: Agent, seat: Session): Promise<Session> {
  const fields = seatFields(tx, room, agent)
  const changed = Object.entries(fields).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(seat[key as keyof Session]),
  )
  if (changed.length === 0) return seat
  const patch = Object.fromEntries(changed.map(([key, value]) => [key, value ?? null]))
  return tx.updateSession(seat.scope, seat.id, patch)
}

const seatFields = (tx: StoreOperations, { session, mode }: Room, agent: Agent): Partial<NewSession> => ({
  ...rightsOf(tx, session),
  ...(agent.readOnly && { permissionMode: 'plan' as const }),
  allowedTools: toolsWithin(session.allowedTools, agent.tools),
  model: agent.model ?? session.model,
  instructions: session.instructions,
  parameters: session.parameters,
  window: windowOf(mode.window, session.window),
})

/** What is set for the room goes before what its mode has; a preset stands for limits, and so takes their place. */
function windowOf({ limit, ...mode }: WindowSettings, room: WindowSettings = {}): WindowSettings {
  const { max_keep_messages_count: messages, max_messages_text_length: chars } = room.resize ?? {}
  // other words for limits
  const set = { ...(messages !== undefined && { messages }), ...(chars !== undefined && { chars }) }
  const isSet = limit !== undefined || messages !== undefined || chars !== undefined
  return {
    ...(isSet && room.preset === undefined && { limit: { ...limit, ...set } }),
    ...mode,
    ...room,
  }
}

/** An empty list stands for no limit; that nothing is left of one is said by the turn. */
function toolsWithin(room: string[] | undefined, agent: string[] | undefined): string[] | undefined {
  if (!agent) return room
  return room?.length ? agent.filter((name) => room.includes(name)) : agent
}

function toTurn(
  { ids }: RoomDeps,
  { session, mode, facts, state }: Room,
  { run, undoSeq }: Round,
  { agent, ask, unread }: { agent: Agent; ask: Ask; unread: UnreadLog },
): TurnInput {
  const { parts, userText, last } = unread
  const given = run.input as TurnInput
  const hasNoTools = agent.tools && toolsWithin(session.allowedTools, agent.tools)?.length === 0
  return {
    message: { id: ids.next('msg'), parts, metadata: { roomSeq: last?.seq ?? 0 } },
    actor: { type: 'agent', source: agent.name },
    seat: {
      agent: agent.name,
      roomId: session.id,
      roomSeq: undoSeq,
      persona: ask.selects ? selectorPersona : describeSelf(agent),
      peers: describePeers(facts, agent),
      rules: ask.selects ? selectorRules(facts) : mode.rules(facts, agent),
      state: mode.describe(facts, state),
      task: ask.whisper ? whisperTask : ask.task,
      schema: ask.schema,
      ...(ask.textAs !== undefined && { textAs: ask.textAs }),
      ...(ask.repairs !== undefined && { repairs: ask.repairs }),
      ...((ask.withoutTools || hasNoTools) && { withoutTools: true }),
    },
    referencesIn: userText,
    // what was chosen for the room does not take the place of what an agent is made with
    model: agent.model === undefined ? given.model : undefined,
    thinking: given.thinking,
    parameters: given.parameters,
    window: given.window,
    mcpEnabled: given.mcpEnabled,
    isHeadless: given.isHeadless,
    includeScopeContext: given.includeScopeContext,
    fileRefs: given.fileRefs,
    runRefs: given.runRefs,
    maxSteps: agent.limits?.maxSteps,
    tokenBudget: agent.limits?.tokenBudget,
    skipMemory: !mode.usesMemory || ask.selects === true,
    skipPerRoundExtract: true,
    skipNarrativeBatchExtract: true,
    skipDocumentExtract: true,
    skipCheckpoint: true,
    skipSummary: true,
    skipSlashCommands: true,
    skipChatStatus: true,
  }
}

const whisperTask =
  'What was whispered to you was said to you alone, and your answer goes to that person alone. Do not tell others of it.'

/** How much of the log a newcomer sees: as much as the configured window holds. */
function historyLimit(window: WindowSettings = {}): number {
  const { preset, limit, resize } = window
  const isSet = preset ?? limit?.messages ?? resize?.max_keep_messages_count
  return isSet === undefined ? usualHistory : resolveWindow(window).maxMessages || maxHistory
}
