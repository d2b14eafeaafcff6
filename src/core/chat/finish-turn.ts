/** Stores the end of a turn: the final message, the run and what it used commit together, and exactly once. */
import type { Usage } from '../models/adapter.ts'
import { conflict, quote } from '../protocol/error.ts'
import type { Chunk, RunEvent } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import { spend } from '../runs/budget.ts'
import { replyId } from '../runs/run-record.ts'
import { toModelCall } from '../runs/cost.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { StoreOperations } from '../store/store.ts'
import { endAwaited } from './await-call.ts'
import { recordTurn, recordRunEvent } from './record-turn.ts'
import type { ChatDeps } from './turn-limits.ts'
import { toChunks, type Ending } from './turn-ending.ts'
import { notifyQueue } from './input-queue.ts'
import { requeueSteering, type Steering } from './steering.ts'
import type { StepRecord } from './step-record.ts'
import type { BegunTurn, PreparedTurn, Turn } from './turn-state.ts'

/** What is stored with an end beside it. */
interface TurnEnd {
  usage: Usage
  ending: Ending
  /** The step that the turn ended in, when it is not stored yet. */
  step?: RunStep & { prompt: StepRecord }
  /** Messages that arrived meanwhile and are part of the reply. */
  steering?: Steering
}

/** Rolls an end back because something arrived that the model has not read. */
class Steered extends Error {}

type Begun = BegunTurn & Partial<PreparedTurn>

export const finishTurn = (deps: ChatDeps, turn: Turn, begun: Begun, end: TurnEnd): Promise<void> =>
  storeEnd(deps, turn, begun, end)

/** The same, unless something arrived that the model has not read: false then, and nothing is stored. */
export async function finishUnlessSteered(
  deps: ChatDeps,
  turn: Turn,
  begun: Begun,
  end: TurnEnd,
): Promise<boolean> {
  try {
    await storeEnd(deps, turn, begun, end, true)
    return true
  } catch (error) {
    if (error instanceof Steered) return false
    throw error
  }
}

async function storeEnd(
  deps: ChatDeps,
  turn: Turn,
  begun: Begun,
  { usage, ending: given, step: lastStep, steering }: TurnEnd,
  continuesWhenSteered = false,
): Promise<void> {
  const { run, lease, log } = turn
  const { session, input, parts, steps } = begun
  // what no model was asked with was not used
  const used = (wasAsked(parts) && begun.used) || []
  const { ending, pair } = await pairToRecord(deps, run, begun, given)
  const denied = parts.flatMap(({ toolName, deniedBy }) => (deniedBy ? [{ toolName, by: deniedBy }] : []))
  const metadata = {
    runId: run.id,
    usage,
    ...Object.assign({}, ...used.map(({ uses, ids }) => uses.describe(ids))),
    ...(denied.length > 0 && { denied }),
    ...(ending.code === 'stopped' && { stopped: true }),
    ...((ending.status === 'failed' || ending.status === 'interrupted') && {
      error: { code: ending.code, message: ending.message },
    }),
  }
  const end = async (tx: StoreOperations, events: readonly RunEvent[]) => {
    const call = lastStep && toModelCall(run, { step: lastStep.step, ...lastStep.prompt }, deps.prices)
    const chatStatus = input.skipChatStatus ? undefined : 'idle'
    // a turn that failed before any output still leaves a message: the log shows what became of the input
    const reply = { id: replyId(run), role: 'assistant' as const, parts, metadata }
    const appended = input.recordsPair ? pair : [reply]
    await Promise.all([
      steps.length > 0 && tx.dropRunSteps(lease),
      tx.finishRun(lease, {
        status: ending.status,
        outcome: {
          code: ending.code,
          message: ending.message,
          ...(ending.budgetId !== undefined && { budgetId: ending.budgetId }),
          // what the log does not contain verbatim is recorded here
          ...(input.recordsPair ? { parts } : { messageId: replyId(run) }),
          ...(denied.length > 0 && { denied }),
        },
        usage,
        course: { steps: lastStep ? [...steps, lastStep] : steps, events, parts },
      }),
      // locks the session: what is being delivered right now finds this turn over, or is found by it
      appended
        ? tx.appendMessages(run.scope, run.sessionId, appended, { chatStatus, call })
        : chatStatus
          ? tx.setChatStatus(session.id, chatStatus)
          : tx.lockSession(run.scope, run.sessionId),
    ])
    const { items, hasQueued } = await tx.listWaiting(session.id)
    turn.hasNext = hasQueued
    const unread = items.filter(({ id }) => !steering?.itemIds.includes(id))
    if (continuesWhenSteered && unread.length > 0) throw new Steered()
    await tx.takeInbox(session.id, steering?.itemIds ?? [])
    const { hasInputs, results } = await requeueSteering(tx, run, unread, {
      ...deps,
      isCompleted: ending.status === 'completed',
    })
    await recordTurn(tx, deps, session, input, begun.messageSeq)
    if (lastStep?.step === 1) for (const { uses, ids } of used) await uses.record(tx, run, ids)
    if (lastStep) await spend(tx, run, lastStep.prompt.usage, deps.prices?.priceOf(lastStep.prompt.model))
    await deps.hooks.onEnd(tx, { session, run, ...ending, parts, unread: results })
    if (!input.skipChatStatus)
      await recordRunEvent(tx, run, 'run-finished', { status: ending.status, code: ending.code })
    if (parts.some(({ approval }) => approval)) await deps.guard?.onEnd?.(tx, run.id)
    await endAwaited(tx, run, parts)
    if (hasInputs) await notifyQueue(tx, deps.kinds, run)
    if (call) await (appended ? tx.recordDayUsage(call) : tx.recordUsage(call))
  }
  const last: Chunk[] = lastStep ? [{ type: 'finish-step' }] : []
  await log.conclude(end, [...last, ...toChunks(ending, metadata)])
  void deps.hooks.turnEnded?.({ session, run, ...ending, parts, usage })
}

const wasAsked = (parts: readonly Part[]) => parts.some(({ type }) => type === 'step-start')

/** A turn that was to take something in, and found that another one had. */
export async function finishWithoutReply(deps: ChatDeps, { run, lease, log }: Turn): Promise<void> {
  const end = async (tx: StoreOperations, events: readonly RunEvent[]) => {
    const course = { steps: [], events, parts: [] }
    await tx.finishRun(lease, { status: 'completed', outcome: { code: 'nothing_new' }, usage: {}, course })
    // what is being delivered right now must find this turn over, or be found by it
    await tx.lockSession(run.scope, run.sessionId)
    const items = await tx.listInbox(run.sessionId)
    const { hasInputs } = await requeueSteering(tx, run, items, { ...deps, isCompleted: true })
    if (hasInputs) await notifyQueue(tx, deps.kinds, run)
  }
  await log.conclude(end, [{ type: 'finish', finishReason: 'other' }])
}

/** Of a turn that records a pair: what enters the log. That it cannot be made ends the turn as failed. */
async function pairToRecord(
  { hooks, store }: ChatDeps,
  run: Run,
  { session, input, parts, prompt }: BegunTurn & Partial<PreparedTurn>,
  ending: Ending,
): Promise<{ ending: Ending; pair?: MessageToAppend[] }> {
  if (!input.recordsPair || ending.status !== 'completed') return { ending }
  const reply: MessageToAppend = { id: replyId(run), role: 'assistant', parts, metadata: { runId: run.id } }
  const question: MessageToAppend = {
    ...input.message,
    role: 'user',
    ...(prompt?.dynamic && { context: prompt.dynamic }),
  }
  try {
    const pair = (await hooks.toRecord(session, question, reply)) ?? [question, reply]
    await requireNewIds(store, run, pair)
    return { ending, pair }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ending: { status: 'failed', code: 'record_failed', message } }
  }
}

async function requireNewIds(store: StoreOperations, run: Run, messages: MessageToAppend[]): Promise<void> {
  const given = messages.flatMap(({ id }) => id ?? [])
  for (const [index, id] of given.entries())
    if (given.indexOf(id) !== index || (await store.getMessage(run.scope, run.sessionId, id)))
      throw conflict(`The session already has a message with the id ${quote(id)}.`)
}
