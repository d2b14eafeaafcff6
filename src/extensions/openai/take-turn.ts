/**
 * One request of a client that keeps the conversation itself: it sends all of it each time, results of its tools included.
 * A request that continues a turn which waits for these results continues it; any other is a turn of its own, in a session
 * made for it or in one that the client names, and what was answered since its input goes along.
 */
import { createHash } from 'node:crypto'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import { answerCall } from '../../core/chat/answer-call.ts'
import type { SessionTypes } from '../../core/chat/session-types.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import { conflict, quote } from '../../core/protocol/error.ts'
import type { Part } from '../../core/protocol/message.ts'
import { sumUsage, type Usage } from '../../core/models/adapter.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Answerer } from './models.ts'

/** What a request says, whatever its format. */
export interface Asked {
  /** The messages before the input. */
  history: MessageToAppend[]
  /** The turn to take, without an id of its message. */
  turn: Omit<TurnInput, 'message'> & { message: { parts: Part[]; metadata?: Record<string, unknown> } }
  /** Who the assistant is. */
  persona?: string
  /** The results of calls that stand at the end. */
  results: readonly { callId: string; output: unknown; isError?: boolean }[]
  /** The ids of all calls since the input; left out where the request has only what comes after them. */
  callIds?: readonly string[]
  /** Of the calls before the input the last one: who asks something else does not continue its turn. */
  lastCallId?: string
  /** All of the request up to its input. */
  hash: string
  /** What a session says that is made for it; default `requestSource`. */
  source?: string
}

/** What a request may ask for by headers. */
export interface AskedBeside {
  sessionId?: string
  /** Parley's own tools, too, where the caller brings some, or has no session. */
  hasBuiltInTools?: boolean
  /** Waits for a person where one has to be asked; otherwise that is refused. */
  waitsForPeople?: boolean
}

/** Where the answer to a request begins in its turn. */
export interface Taken {
  sessionId: string
  runId: string
  after: number
  stepsBefore: number
  partsBefore: number
  usageBefore: Usage
}

export interface TakeDeps {
  chats: Pick<ChatRuns, 'admit' | 'types'>
  ids: Ids
}

/** Sessions of requests that name none, apart from those of people. */
export const requestSource = 'openai'

/** The same for the same request, whatever it is given later. */
export const hashRequest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** In a transaction; `begin` comes after it, and `stale` is a turn that nobody continues any more. */
export async function takeTurn(
  { chats, ids }: TakeDeps,
  tx: StoreOperations,
  caller: Caller,
  { asked, beside, answerer }: { asked: Asked; beside: AskedBeside; answerer: Answerer },
): Promise<Taken & { begin(): void; stale?: Run }> {
  const { sessionId: given } = beside
  if (given !== undefined) await requireOneVoice(tx, chats.types, caller, given)
  const waiting = asked.results.length > 0 ? await findWaiting(tx, caller, asked) : undefined
  if (waiting && isContinued(waiting, asked, given)) {
    for (const { callId, output, isError } of asked.results)
      await answerCall(tx, caller, callId, isError ? { errorText: toErrorText(output) } : { output })
    return { ...(await placeIn(tx, waiting)), begin() {} }
  }
  if (asked.results.length > 0 && given !== undefined)
    throw conflict(
      `No turn of the session ${quote(given)} waits for the result of ${quote(asked.results[0]!.callId)}.`,
    )
  const sessionId = given ?? (await beginSession(tx, caller, asked, answerer))
  const { turn } = asked
  const isOwn = given === undefined
  const hasBuiltInTools = beside.hasBuiltInTools ?? (!isOwn && !turn.callerTools)
  const { run, begin } = await chats.admit(
    tx,
    { scope: caller.scope, sessionId, keyName: caller.keyName },
    {
      ...turn,
      ...answerer.turn,
      message: { id: ids.next('msg'), ...turn.message },
      ...(isOwn && asked.persona !== undefined && { persona: asked.persona }),
      ...(!hasBuiltInTools && { hasBuiltInTools: false }),
      ...(!beside.waitsForPeople && { isHeadless: true }),
      ...(isOwn && turn.callerTools && { requestHash: asked.hash }),
    },
  )
  const left = waiting ?? (isOwn ? await findLeft(tx, caller, asked) : undefined)
  const isStale = left && (left.input as TurnInput).requestHash !== undefined
  return {
    sessionId,
    runId: run.id,
    after: 0,
    stepsBefore: 0,
    partsBefore: 0,
    usageBefore: {},
    begin,
    ...(isStale && { stale: left }),
  }
}

const toErrorText = (output: unknown) => (typeof output === 'string' && output !== '' ? output : 'It failed.')

/** The turn that waits for exactly these results, and knows all other calls of the request. */
async function findWaiting(
  tx: StoreOperations,
  { scope }: Caller,
  { results, callIds }: Asked,
): Promise<Run | undefined> {
  const first = await tx.getAwaitedCall(scope, results[0]!.callId)
  if (first?.status !== 'waiting') return undefined
  const { runId } = first
  const limit = (callIds ?? results).length + 1
  const [open, answered] = await Promise.all([
    tx.listAwaitedCalls(scope, { status: 'waiting', runId, limit }),
    tx.listAwaitedCalls(scope, { status: 'answered', runId, limit }),
  ])
  const isSame = (ids: readonly string[], items: { id: string }[]) =>
    ids.length === items.length && items.every(({ id }) => ids.includes(id))
  const isWhole = callIds === undefined || isSame(callIds, [...open.items, ...answered.items])
  return isWhole &&
    isSame(
      results.map(({ callId }) => callId),
      open.items,
    )
    ? tx.getRun(scope, runId)
    : undefined
}

/** The turn of an earlier request whose calls the caller has not waited for, or has answered in other words. */
async function findLeft(
  tx: StoreOperations,
  { scope }: Caller,
  { lastCallId }: Asked,
): Promise<Run | undefined> {
  if (lastCallId === undefined) return undefined
  const call = await tx.getAwaitedCall(scope, lastCallId)
  return call?.status === 'waiting' ? tx.getRun(scope, call.runId) : undefined
}

/** A choice of tools is about the next call of the model, which a turn that continues does not hear of. */
function isContinued(run: Run, { turn, hash }: Asked, sessionId: string | undefined): boolean {
  if (turn.toolChoice !== undefined) return false
  return sessionId === undefined ? (run.input as TurnInput).requestHash === hash : run.sessionId === sessionId
}

async function placeIn(tx: StoreOperations, { id, sessionId }: Run): Promise<Taken> {
  const steps = await tx.listOpenSteps({ runId: id })
  return {
    sessionId,
    runId: id,
    after: steps.at(-1)?.lastEventSeq ?? 0,
    stepsBefore: steps.length,
    partsBefore: steps.flatMap(({ parts }) => parts).length,
    usageBefore: sumSteps(steps),
  }
}

export const sumSteps = (steps: readonly { prompt: unknown }[]) =>
  steps.reduce<Usage>((sum, { prompt }) => sumUsage(sum, (prompt as { usage: Usage }).usage), {})

/** What a request is answered with: the parts since it began, and what they cost. */
export async function readSegment(
  store: StoreOperations,
  { partsBefore, usageBefore }: Taken,
  answer: ChatAnswer,
): Promise<{ parts: Part[]; usage: Usage }> {
  const { message, run, awaiting } = answer
  const prior = (run.input as TurnInput).priorParts?.length ?? 0
  const steps = awaiting ? await store.listRunSteps(run.id) : []
  const parts = awaiting ? steps.flatMap((step) => step.parts) : (message?.parts ?? []).slice(prior)
  const usage = awaiting ? sumSteps(steps) : ((answer.usage ?? {}) as Usage)
  return { parts: parts.slice(partsBefore), usage: usageSince(usage, usageBefore) }
}

export const usageSince = (usage: Usage, before: Usage): Usage =>
  Object.fromEntries(
    Object.entries(usage).map(([name, value]) => [
      name,
      typeof value === 'number' ? value - ((before as Record<string, number | undefined>)[name] ?? 0) : value,
    ]),
  )

/** A session that already has the earlier messages. */
async function beginSession(
  tx: StoreOperations,
  caller: Caller,
  { history, source = requestSource }: Asked,
  { session }: Answerer,
): Promise<string> {
  const apart = session.mode === undefined && { kind: 'tool' as const, toolMeta: { source } }
  const { id } = await createSession(tx, caller, { ...session, ...apart })
  if (history.length > 0) await tx.appendMessages(caller.scope, id, history)
  return id
}

/** An answer has one author. */
async function requireOneVoice(
  tx: StoreOperations,
  types: SessionTypes,
  { scope }: Caller,
  id: string,
): Promise<void> {
  if (types.of(await tx.requireSession(scope, id)).hasSeveralVoices)
    throw conflict(
      `The session ${quote(id)} is a room, where several agents answer: use POST /api/sessions/${id}/chat.`,
    )
}
