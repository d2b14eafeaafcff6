/**
 * Calls whose results come from outside of the turn. Each is asked for once, in a row of its own, before anybody learns of
 * it; the turn lets go of its run until the last one is answered or its time is over, and whoever continues the run takes
 * the results in.
 */
import type { Usage } from '../models/adapter.ts'
import type { AwaitedCall } from '../protocol/awaited-call.ts'
import type { AwaitingChunk, Chunk } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import { fromTimestamp } from '../protocol/names.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { HandOver } from '../runs/stop-reasons.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { Tool } from '../tools/tool.ts'
import { admitCall, type CallContext, failCall, keyOf } from './execute-tool-call.ts'
import { shortenResult } from './large-result.ts'
import type { Turn } from './turn-state.ts'

/** The step whose calls are made: stored with what happens to them, and with what is stored beside it. */
export type StoreStep = (beside?: (tx: StoreOperations) => Promise<void>, last?: Chunk[]) => Promise<void>

/** What of a result the model gets to see, and where the whole of a long one is kept. */
interface ResultBounds {
  maxToolOutput: number
  readWorkspace(): Promise<string | undefined>
}

export const isAwaiting = ({ awaited }: Part): boolean => awaited !== undefined

const late = 'Nobody gave the result in time.'

/** Asks for the result of a call, unless an earlier owner of the run has. */
export async function awaitCall(
  part: Part,
  tool: Tool,
  context: CallContext,
  {
    store,
    log,
    storeStep,
    timeoutMs,
  }: { store: Store; log: RunLog; storeStep: StoreStep; timeoutMs: number },
): Promise<void> {
  const { scope, sessionId, runId } = context
  const known = await store.findAwaitedCall(runId, keyOf(part))
  if (known) return note(part, known)
  if (!(await admitCall(part, tool, context, log, storeStep))) return storeStep()
  await storeStep(async (tx) => {
    const { call } = await tx.createAwaitedCall({
      scope,
      sessionId,
      runId,
      callKey: keyOf(part),
      toolCallId: part.toolCallId as string,
      toolName: tool.name,
      input: part.input,
      timeoutMs,
    })
    note(part, call)
    await recordCallEvent(tx, 'tool-call-awaited', call)
  })
}

function note(part: Part, { id, expiresAt }: AwaitedCall): void {
  part.awaited = { id, expiresAt }
}

/**
 * Takes in what was answered to the calls of a step. True when there are others: the run is free then, and continued when
 * the last one is answered, or its time is over.
 */
export async function letGo(
  store: Store,
  { run, lease, log, signal }: Turn,
  parts: readonly Part[],
  { storeStep, usage, ...bounds }: { storeStep: StoreStep; usage: Usage } & ResultBounds,
): Promise<boolean> {
  if (signal.reason instanceof HandOver) throw signal.reason
  const waiting: AwaitedCall[] = []
  let isChanged = false
  for (const part of parts.filter((one) => isAwaiting(one) && isOpen(one))) {
    const call = await settledOrWaiting(store, run, part)
    // a turn that is stopped waits for nobody
    if (call?.status === 'waiting' && !signal.aborted) {
      waiting.push(call)
      continue
    }
    await takeIn(part, call, bounds, log)
    isChanged = true
  }
  if (waiting.length === 0) {
    if (isChanged) await storeStep()
    return false
  }
  const wakeAt = Math.min(...waiting.map(({ expiresAt }) => fromTimestamp(expiresAt)))
  const calls = waiting.map(({ id, toolCallId, toolName, input, expiresAt }) => ({
    id,
    toolCallId,
    toolName,
    input,
    expiresAt,
  }))
  const chunk: AwaitingChunk = { type: 'data-awaiting', data: { calls, usage }, transient: true }
  await storeStep((tx) => tx.parkRun(lease, { wakeAt, stopsClock: true }), [chunk])
  return true
}

const isOpen = ({ state }: Part) => state === 'input-available' || state === 'approval-responded'

async function settledOrWaiting(store: Store, run: Run, part: Part): Promise<AwaitedCall | undefined> {
  const { id } = part.awaited as { id: string }
  return store.transaction(async (tx) => {
    const expired = await tx.expireAwaitedCall(id)
    if (expired) await recordCallEvent(tx, 'tool-call-settled', expired)
    return expired ?? tx.getAwaitedCall(run.scope, id)
  })
}

async function takeIn(
  part: Part,
  call: AwaitedCall | undefined,
  { maxToolOutput, readWorkspace }: ResultBounds,
  log: RunLog,
): Promise<void> {
  if (call?.status !== 'answered') return failCall(part, log, call?.status === 'expired' ? late : undefined)
  if (call.errorText !== undefined) return failCall(part, log, call.errorText)
  const toolCallId = part.toolCallId as string
  part.output = await shortenResult(call.output ?? null, maxToolOutput, {
    toolCallId,
    workspace: await readWorkspace(),
  })
  part.state = 'output-available'
  log.emit({ type: 'tool-output-available', toolCallId, output: part.output, dynamic: true })
}

/** Nobody waits for the results of a run that ends. */
export async function endAwaited(tx: StoreOperations, run: Run, parts: readonly Part[]): Promise<void> {
  if (!parts.some(isAwaiting)) return
  for (const call of await tx.endAwaitedCalls(run.id)) await recordCallEvent(tx, 'tool-call-settled', call)
}

/** For followers of the scope. Last in its transaction: others wait for the row of the scope. */
export async function recordCallEvent(
  tx: StoreOperations,
  type: 'tool-call-awaited' | 'tool-call-settled',
  { id, scope, sessionId, runId, toolName, status }: AwaitedCall,
): Promise<void> {
  await tx.recordEvent(scope, { type, sessionId, data: { callId: id, runId, toolName, status } })
}
