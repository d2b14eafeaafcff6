import type { AnswerCall, AwaitedCall } from '../protocol/awaited-call.ts'
import { conflict, notFound, quote } from '../protocol/error.ts'
import type { Caller } from '../sessions/caller.ts'
import type { StoreOperations } from '../store/store.ts'
import { recordCallEvent } from './await-call.ts'

export async function requireCall(
  store: StoreOperations,
  { scope }: Caller,
  id: string,
): Promise<AwaitedCall> {
  const call = await store.getAwaitedCall(scope, id)
  if (!call) throw notFound('tool call', id)
  return call
}

/** Takes the result of a call in; the last one that a turn waits for continues it. */
export function answerCall(
  store: StoreOperations,
  caller: Caller,
  id: string,
  { output, errorText }: Omit<AnswerCall, 'scope'>,
): Promise<AwaitedCall> {
  return store.transaction(async (tx) => {
    const { runId } = await requireCall(tx, caller, id)
    // the run before the call, as its end locks them; of several answers at once, the last one sees that it is
    const isOpen = await tx.lockRunning(runId)
    const answer = errorText === undefined ? { output } : { errorText }
    const answered = isOpen ? await tx.answerAwaitedCall(id, answer, caller.actor.id) : undefined
    if (!answered) {
      const { status } = await requireCall(tx, caller, id)
      const word = status === 'waiting' ? 'too late' : status
      throw conflict(`The tool call ${quote(id)} can no longer be answered: it is ${word}.`, { status })
    }
    const { items } = await tx.listAwaitedCalls(caller.scope, { status: 'waiting', runId, limit: 1 })
    if (items.length === 0) await tx.wakeRun(runId)
    await recordCallEvent(tx, 'tool-call-settled', answered)
    return answered
  })
}
