import { wakeSession, type DeliveredResult } from '../chat/steer.ts'
import type { EndedTurn } from '../chat/after-turn.ts'
import type { TurnInput } from '../chat/turn-input.ts'
import type { TaskResult } from '../protocol/background.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { BgStatus, Session } from '../protocol/session.ts'
import type { Ids } from '../shared/ids.ts'
import type { FinalStatus } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { BackgroundDeps } from './deps.ts'
import { gradeResult } from './result-guard.ts'

/**
 * The end of a background run, in the transaction that stores it: the session's result, the row in the inbox of whoever
 * gets it, the audit and the event commit together with the run, or not at all.
 */
export async function settleTask(
  tx: StoreOperations,
  { clock, ids, onSettled = [] }: Pick<BackgroundDeps, 'clock' | 'ids' | 'onSettled'>,
  { session, run, status, message, parts }: Omit<EndedTurn, 'code'>,
): Promise<TaskResult> {
  const now = clock.now()
  const { task } = run.input as TurnInput
  const graded = gradeResult(parts)
  const result: TaskResult = {
    taskId: session.id,
    runId: run.id,
    ...(task?.label !== undefined && { label: task.label }),
    ...graded,
    ...(status !== 'completed' && endedOtherwise(status, graded)),
    ...(message !== undefined && status !== 'completed' && { error: message }),
    durationMs: run.startedAt === undefined ? 0 : Math.max(0, now - run.startedAt),
  }
  const bgStatus = toBgStatus(status, result)
  const settled = await tx.updateSession(session.scope, session.id, {
    bgStatus,
    bgResult: result.output,
    bgStructuredData: result.structuredData === undefined ? null : JSON.stringify(result.structuredData),
    bgArtifacts: result.artifacts ?? null,
    bgResultSource: result.source,
    bgDegraded: result.degraded,
    ...(task?.autoCleanup && bgStatus === 'completed' && { archivedAt: toTimestamp(now) }),
  })
  await tx.amendOutcome(run.id, { result })
  await tx.closeBudget(run.id)
  await tx.recordAudit(session.scope, {
    actor: { type: 'system', id: 'bg-session' },
    action: `background.${bgStatus}`,
    resourceType: 'session',
    resourceId: session.id,
    sessionId: session.id,
    result: bgStatus === 'completed' ? 'success' : 'error',
    detail: { runId: run.id, source: result.source, degraded: result.degraded },
  })
  if (task?.deliverTo !== undefined) {
    const { scope } = session
    await deliver(
      tx,
      { scope, runId: run.id, targetId: task.deliverTo, wake: task.wake === true },
      result,
      ids,
    )
  }
  for (const tell of onSettled) await tell(tx, settled, result)
  await tx.recordEvent(session.scope, {
    type: `bg:session.${eventName(bgStatus)}`,
    sessionId: session.id,
    data: {
      runId: run.id,
      label: result.label,
      status: result.status,
      source: result.source,
      degraded: result.degraded,
      parentSessionId: session.bgMeta?.parentSessionId,
    },
  })
  return result
}

/** What somebody submitted before the time was over counts as a part; without that, the end is all there is. */
function endedOtherwise(status: FinalStatus, graded: ReturnType<typeof gradeResult>): Partial<TaskResult> {
  const wasSubmitted = graded.source === 'tool' || graded.source === 'reminded'
  if (status === 'failed') return wasSubmitted ? {} : { status: 'failed', degraded: true }
  return { status: status === 'completed' ? graded.status : status, degraded: true }
}

function toBgStatus(status: FinalStatus, result: TaskResult): BgStatus {
  if (status !== 'completed') return status
  // nothing at all, or a result that says so itself, is a failure whatever the model thought of it
  return result.status === 'failed' ? 'failed' : 'completed'
}

/** A task that has handed its result in is not woken for what its own tasks still say: nobody would hear it. */
const isOver = ({ bgStatus }: Session) =>
  bgStatus !== undefined && bgStatus !== 'pending' && bgStatus !== 'running'

const eventName = (status: BgStatus) => (status === 'interrupted' ? 'failed' : status)

/** Puts a result into the inbox of a session, and starts a turn there when it is idle and `wake` says so. */
export async function deliver(
  tx: StoreOperations,
  { scope, runId, targetId, wake: wakes }: { scope: string; runId: string; targetId: string; wake: boolean },
  result: TaskResult,
  ids: Ids,
): Promise<void> {
  // gone, or of another scope: there is nobody to tell, and the result stays with its session
  if (!(await tx.lockSession(scope, targetId))) return
  // a turn that goes on there takes it in between two steps, or leaves a turn for it when it ends: its end needs the
  // row that is locked now, so it sees this result, or this sees its end
  const isRunning = (await tx.listOpenRuns(targetId)).some(({ status }) => status === 'running')
  const wake = wakes && result.status !== 'cancelled'
  const payload: DeliveredResult = { result, wake }
  const isNew = await tx.deliver(targetId, { kind: 'task-result', dedupeKey: `task:${runId}`, payload })
  if (!isNew || !wake || isRunning) return
  const target = await tx.requireSession(scope, targetId)
  if (!isOver(target)) await wakeSession(tx, scope, targetId, ids)
}
