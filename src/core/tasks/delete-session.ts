import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { cancelLeft } from './cancel-tasks.ts'
import type { TaskDeps } from './task-deps.ts'
import { settleTask } from './settle-task.ts'

/**
 * Deletes a session with its parts, in the transaction of the caller. What goes on there ends as cancelled first, so that
 * whoever waits for it is told. Tasks that it started stay without a parent: those that are over as they are, those
 * that go on stopped, those that are detached as if nothing had happened. Answers which stay.
 *
 * One that goes on is only told to stop, in the same commit: its owner, or whoever takes it up after a crash, ends it.
 */
export async function deleteWithTasks(
  tx: StoreOperations,
  deps: TaskDeps,
  scope: string,
  id: string,
): Promise<string[]> {
  const { parts, left } = await tx.releaseTasks(scope, id)
  // the step of a run that waits for one of them is told by the deletion
  for (const sessionId of parts)
    for (const run of await tx.listOpenRuns(sessionId)) await deps.engine.end(tx, run)
  await tx.deleteSession(scope, id)
  for (const sessionId of left) await cancelLeft(tx, deps, scope, sessionId)
  return left
}

/** The end of a task whose session goes with it: there is no session left that others could be told of. */
export async function endTaskRun(tx: StoreOperations, deps: TaskDeps, run: Run): Promise<void> {
  const session = await tx.requireSession(run.scope, run.sessionId)
  const parts = (await tx.listRunSteps(run.id)).flatMap((step) => step.parts)
  const message = 'Its session was deleted.'
  const unread = (await tx.listInbox(session.id)).filter(({ kind }) => kind === 'task-result')
  const ended = { session, run, status: 'cancelled' as const, message, parts, unread }
  await settleTask(tx, { ...deps, onSettled: [] }, ended)
}
