import type { DeliveredResult } from '../chat/steering.ts'
import type { SessionTypes } from '../chat/session-types.ts'
import { wakeSession, type WakeDeps } from '../chat/wake-session.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Session } from '../protocol/session.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { StoreOperations } from '../store/store.ts'

/** Where a result is to go, and whose it is. */
export interface Delivery {
  scope: string
  runId: string
  targetId: string
  /** Starts a turn there when nothing is running. */
  wake: boolean
  /** The clock or a program started it: it does not count among the turns that begin by themselves. */
  isPaced?: boolean
  /** The target had ended as a task when this one was started: those who have talked to it since want to know. */
  toEnded?: boolean
  /** Where it goes when the target is gone. */
  parentId?: string
  /** It continues when those above it are stopped, and so does what it reports. */
  isDetached?: boolean
}

/**
 * Puts a result into the inbox of a session, and starts a turn there when it is idle and `wake` is set. A finished task
 * reads nothing any more, and a run never did: it goes to the nearest session above that does. In the
 * transaction of the end, so that it arrives once or the end is not stored either.
 */
export async function deliver(
  tx: StoreOperations,
  delivery: Delivery,
  result: TaskResult,
  deps: WakeDeps,
): Promise<void> {
  const { scope, runId, targetId, wake: wakes, isPaced } = delivery
  const target = await findListener(tx, delivery, deps.types)
  // there is nobody to notify: the result stays with its session
  if (!target) return
  // a running turn takes it in between two steps, or leaves a turn for it when it ends: its end needs the
  // row that is locked now, so it sees this result, or this sees its end
  const isRunning = (await tx.listOpenRuns(target.id)).some(({ status }) => status === 'running')
  const wake = wakes && result.status !== 'cancelled'
  const payload: DeliveredResult = {
    result: target.id === targetId ? result : { parentTaskId: targetId, ...result },
    wake,
    ...(isPaced && { isPaced }),
  }
  const isNew = await tx.deliver(target.id, { kind: 'task-result', dedupeKey: `task:${runId}`, payload })
  if (!isNew || isRunning) return
  const place = { scope, sessionId: target.id }
  if (wake && (await wakeSession(tx, deps, place, { isPaced }))) return
  // it is taken in with the next message: until then people should know that it is there
  const { length: count } = await tx.listInbox(target.id)
  await tx.recordEvent(scope, { type: 'session-inbox', sessionId: target.id, data: { count } })
}

/** Results that a task did not take in before it ended. */
export async function passOn(
  tx: StoreOperations,
  session: Session,
  unread: readonly InboxItem[],
  deps: WakeDeps,
): Promise<void> {
  const { scope, id } = session
  const targetId = aboveOf(session)
  if (targetId === undefined || unread.length === 0) return
  await tx.takeInbox(
    id,
    unread.map((item) => item.id),
  )
  for (const { payload } of unread) {
    const { result, wake, isPaced } = payload as DeliveredResult
    const delivered = { ...result, parentTaskId: result.parentTaskId ?? id }
    await deliver(tx, { scope, runId: result.runId, targetId, wake, isPaced }, delivered, deps)
  }
}

/** A task without a parent reports to the target it was started with. */
const aboveOf = ({ parentId, bgMeta }: Session) => parentId ?? bgMeta?.announceTarget

/** Locked: it does not end before the transaction does. */
async function findListener(
  tx: StoreOperations,
  { scope, targetId, parentId, toEnded, isDetached }: Delivery,
  types: SessionTypes,
): Promise<Session | undefined> {
  const start = (await tx.lockSession(scope, targetId)) ? targetId : parentId
  // a session that was imported may name itself
  const passed = new Set<string>()
  for (let id = start; id !== undefined && !passed.has(id);) {
    passed.add(id)
    // gone, or of another scope
    if (id !== targetId && !(await tx.lockSession(scope, id))) return undefined
    const session = await tx.requireSession(scope, id)
    if (listens(session, types) || (toEnded && id === targetId)) return session
    // a stopped session receives nothing more of it, nor of what it had started
    if (session.bgStatus === 'cancelled' && !isDetached) return undefined
    id = aboveOf(session)
  }
  return undefined
}

const listens = (session: Session, types: SessionTypes) =>
  session.kind === 'tool' ? !types.of(session).isOfRun : !isEnded(session)

/** Whether a task has ended; what is no task never does. */
export const isEnded = ({ bgStatus }: Session): boolean =>
  bgStatus !== undefined && bgStatus !== 'pending' && bgStatus !== 'running'
