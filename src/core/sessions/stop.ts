import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** What stops runs; injected, since it lies above sessions. */
export interface Stoppers {
  chats: { stopSession(place: { scope: string; sessionId: string }): Promise<Run | undefined> }
  background: {
    stop(scope: string, sessionId: string): Promise<Run[]>
    cancelTasksOf(scope: string, sessionId: string): Promise<Run[]>
  }
}

export interface Stopped {
  /** What was running in the session itself. */
  stopped?: Run
  /** What it and its tasks had started. */
  tasks: Run[]
}

/**
 * Stops what is running in a session and the tasks that it started, also those that only wait for a slot. Inputs that
 * wait stay. Stopping what has finished does nothing, so a stop can be repeated. Returns what it stopped.
 */
export async function stopSession(
  store: StoreOperations,
  { chats, background }: Stoppers,
  { scope }: Caller,
  sessionId: string,
): Promise<Stopped> {
  await store.requireSession(scope, sessionId)
  const task = (await store.listOpenRuns(sessionId)).find(({ kind }) => kind === 'background')
  if (!task) {
    const stopped = await chats.stopSession({ scope, sessionId })
    return { stopped, tasks: await readAgain(store, await background.cancelTasksOf(scope, sessionId)) }
  }
  const all = await readAgain(store, await background.stop(scope, sessionId))
  return { stopped: all.find(({ id }) => id === task.id), tasks: all.filter(({ id }) => id !== task.id) }
}

/** As they are now: a queued one has ended, a running one was asked to stop. */
const readAgain = (store: StoreOperations, runs: Run[]): Promise<Run[]> =>
  Promise.all(runs.map(async (run) => (await store.getRun(run.scope, run.id)) ?? run))
