import type { StoreOperations } from '../store/store.ts'
import { cancelLeft } from './cancel-tasks.ts'
import type { BackgroundDeps } from './deps.ts'
import { settleTask } from './settle.ts'

/**
 * Deletes a session with its parts, in the transaction of the caller. What goes on there ends as cancelled first, so that
 * whoever waits for it is told. Tasks that it started stay without a parent: those that are over as they are, those
 * that go on stopped, those that are detached as if nothing had happened. Answers which stay.
 *
 * One that goes on is only told to stop, in the same commit: its owner, or whoever takes it up after a crash, ends it.
 */
export async function deleteWithTasks(
  tx: StoreOperations,
  deps: BackgroundDeps,
  scope: string,
  id: string,
): Promise<string[]> {
  const { parts, left } = await tx.releaseTasks(scope, id)
  for (const sessionId of parts) await endWork(tx, deps, scope, sessionId)
  await tx.deleteSession(scope, id)
  for (const sessionId of left) await cancelLeft(tx, deps, scope, sessionId)
  return left
}

/** What is done in the session itself. The step of a run that waits for it is told by the deletion. */
async function endWork(
  tx: StoreOperations,
  deps: BackgroundDeps,
  scope: string,
  sessionId: string,
): Promise<void> {
  for (const run of await tx.listOpenRuns(sessionId)) {
    if (run.kind === 'workflow' || run.kind === 'plan') await deps.endOther?.(tx, run)
    if (run.kind !== 'background') continue
    const session = await tx.requireSession(scope, sessionId)
    const parts = (await tx.listRunSteps(run.id)).flatMap((step) => step.parts)
    const message = 'Its session was deleted.'
    const unread = (await tx.listInbox(sessionId)).filter(({ kind }) => kind === 'task-result')
    const ended = { session, run, status: 'cancelled' as const, message, parts, unread }
    await settleTask(tx, { ...deps, onSettled: [] }, ended)
  }
}
