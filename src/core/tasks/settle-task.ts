import type { EndedTurn } from '../chat/turn-hooks.ts'
import type { TurnInput } from '../chat/turn-input.ts'
import type { TaskResult } from '../protocol/background.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { BgStatus } from '../protocol/session.ts'
import type { FinalStatus } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { deliver, passOn } from './deliver-result.ts'
import type { TaskDeps } from './task-deps.ts'
import { listOpenTasks, startsTasks } from './open-tasks.ts'
import { gradeResult } from './require-result.ts'

/**
 * The end of a background run, in the transaction that stores it: the session's result, the row in the inbox of the session that
 * gets it, the audit and the event commit together with the run, or not at all.
 */
export async function settleTask(
  tx: StoreOperations,
  deps: Pick<TaskDeps, 'clock' | 'ids' | 'types' | 'tools' | 'pacedTriggers' | 'maxWakes' | 'onSettled'>,
  { session, run, status, message, parts, unread = [] }: Omit<EndedTurn, 'code'>,
): Promise<TaskResult> {
  const { clock, tools, pacedTriggers = [], onSettled } = deps
  const now = clock.now()
  const { task } = run.input as TurnInput
  const graded = gradeResult(parts)
  // what is stopped takes its tasks along
  const tasksRunning =
    status !== 'cancelled' && startsTasks(tools, parts)
      ? await listOpenTasks(tx, session.scope, session.id)
      : []
  const result: TaskResult = {
    taskId: session.id,
    runId: run.id,
    ...(task?.label !== undefined && { label: task.label }),
    ...graded,
    ...(status !== 'completed' && endedOtherwise(status, graded)),
    ...(message !== undefined && status !== 'completed' && { error: message }),
    ...(tasksRunning.length > 0 && { tasksRunning }),
    durationMs: run.startedAt === undefined ? 0 : Math.max(0, now - run.startedAt),
  }
  const bgStatus = toBgStatus(status, result)
  const settled = await tx.updateSession(session.scope, session.id, {
    bgStatus,
    finishedAt: toTimestamp(now),
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
  for (const listener of onSettled) await listener(tx, settled, result)
  // its delivery may record events: after everything that is locked for the end
  if (task?.deliverTo !== undefined) {
    // the parent may be gone since the run began
    const { scope, parentId } = settled
    const { deliverTo: targetId, wake = false, toEnded } = task
    // one that a model started or resumed is attributed to that model, whoever created it
    const { triggerType } = settled.bgMeta ?? {}
    const isPaced =
      !task.isContinued &&
      !task.byModel &&
      (triggerType === 'api' || pacedTriggers.includes(triggerType ?? ''))
    const delivery = { scope, runId: run.id, targetId, wake, isPaced, toEnded, parentId }
    await deliver(tx, { ...delivery, isDetached: task.detached }, result, deps)
  }
  // those who stopped it do not need its result
  if (status !== 'cancelled') await passOn(tx, settled, unread, deps)
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

/** What was submitted before the timeout counts as a partial result; without that, the end is all there is. */
function endedOtherwise(status: FinalStatus, graded: ReturnType<typeof gradeResult>): Partial<TaskResult> {
  const wasSubmitted = graded.source === 'tool' || graded.source === 'reminded'
  if (status === 'failed') return wasSubmitted ? {} : { status: 'failed', degraded: true }
  return { status: status === 'completed' ? graded.status : status, degraded: true }
}

function toBgStatus(status: FinalStatus, result: TaskResult): BgStatus {
  if (status !== 'completed') return status
  // nothing at all, or a result that declares itself failed, is a failure whatever the model thought of it
  return result.status === 'failed' || result.status === 'refused' ? 'failed' : 'completed'
}

const eventName = (status: BgStatus) => (status === 'interrupted' ? 'failed' : status)
