import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { cancelLeft } from './cancel-tasks.ts'
import type { TaskDeps } from './task-deps.ts'
import { settleTask } from './settle-task.ts'

/**
 * Deletes a session with its parts, in the transaction of the caller. What is running there ends as cancelled first, so that
 * those who wait for it are notified. Tasks that it started stay without a parent: finished ones as they are,
 * running ones stopped, detached ones as if nothing had happened. Returns which stay.
 *
 * A running one is only asked to stop, in the same commit: its owner, or the next one after a crash, ends it.
 */
export async function deleteWithTasks(
  tx: StoreOperations,
  deps: TaskDeps,
  scope: string,
  id: string,
): Promise<string[]> {
  const { parts, left } = await tx.releaseTasks(scope, id)
  // the deletion notifies the step of a run that waits for one of them
  for (const sessionId of parts)
    for (const run of await tx.listOpenRuns(sessionId)) await deps.engine.end(tx, run)
  await tx.deleteSession(scope, id)
  for (const sessionId of left) await cancelLeft(tx, deps, scope, sessionId)
  return left
}

/** The end of a task whose session goes with it: there is no session left to notify others about. */
export async function endTaskRun(tx: StoreOperations, deps: TaskDeps, run: Run): Promise<void> {
  const session = await tx.requireSession(run.scope, run.sessionId)
  const parts = (await tx.listRunSteps(run.id)).flatMap((step) => step.parts)
  const message = 'Its session was deleted.'
  const unread = (await tx.listInbox(session.id)).filter(({ kind }) => kind === 'task-result')
  const ended = { session, run, status: 'cancelled' as const, message, parts, unread }
  await settleTask(tx, { ...deps, onSettled: [] }, ended)
}
