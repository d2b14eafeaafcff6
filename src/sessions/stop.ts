import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** What stops runs; handed in, since it lies above sessions. */
export interface Stoppers {
  chats: { stopSession(place: { scope: string; sessionId: string }): Promise<Run | undefined> }
  background: {
    cancel(scope: string, sessionId: string): Promise<boolean>
    cancelTasksOf(scope: string, sessionId: string): Promise<number>
  }
}

/**
 * Stops what goes on in a session and the tasks that it started, also those that only wait for a place. Inputs that
 * wait stay. Stopping what is over does nothing, so it can be said twice.
 */
export async function stopSession(
  store: StoreOperations,
  { chats, background }: Stoppers,
  { scope }: Caller,
  sessionId: string,
): Promise<Run | undefined> {
  await store.requireSession(scope, sessionId)
  const task = (await store.listOpenRuns(sessionId)).find(({ kind }) => kind === 'background')
  if (task) {
    await background.cancel(scope, sessionId)
    return store.getRun(scope, task.id)
  }
  const stopped = await chats.stopSession({ scope, sessionId })
  await background.cancelTasksOf(scope, sessionId)
  return stopped
}
