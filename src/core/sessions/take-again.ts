import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { forkSession } from './fork.ts'
import type { JoinedLifecycle } from './lifecycle.ts'
import { cutBack, requireIdle, untilIdle } from './rollback.ts'
import { stopSession, type Stoppers } from './stop.ts'

/** Stops what runs in the session, so that one of its messages can be taken again. */
export async function makeWay(
  store: StoreOperations,
  stoppers: Stoppers,
  caller: Caller,
  id: string,
): Promise<void> {
  await stopSession(store, stoppers, caller, id)
  await untilIdle(store, id)
}

/**
 * Has the log end before a message, which is then sent again as it was or as it is now. What followed it is kept in a
 * variant of the session; files stay as they are. In a transaction; false when the log has no such message.
 */
export async function takeAgain(
  tx: StoreOperations,
  lifecycle: Pick<JoinedLifecycle, 'beforeRollback' | 'sessionRolledBack' | 'sessionForked'>,
  caller: Caller,
  id: string,
  messageId: string,
): Promise<boolean> {
  const { scope } = caller
  await tx.lockSession(scope, id)
  const message = await tx.getMessage(scope, id, messageId)
  if (!message) return false
  await requireIdle(tx, id)
  const [last = message] = await tx.listMessages(scope, id, { limit: 1 })
  const kept =
    last.id === messageId
      ? undefined
      : await forkSession(tx, caller, id, { messageId: last.id, variant: true }, lifecycle)
  const detail = { messageId, ...(kept && { keptIn: kept.id }) }
  await cutBack(tx, caller, id, { messageSeq: message.seq - 1, detail, lifecycle })
  return true
}
