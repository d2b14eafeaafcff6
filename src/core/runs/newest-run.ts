import { notFound } from '../protocol/error.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'

// of those that wait in a session a person has one or two
const looked = 20

/** What a person sees who opens a session: the running run, or the last one, or else the first of the queue. */
export async function newestRun(
  store: StoreOperations,
  scope: string,
  sessionId: string,
): Promise<Run | undefined> {
  const { items } = await store.listRuns(scope, { sessionId, isStanding: true, limit: looked })
  return (
    items.find(({ status }) => status === 'running') ??
    items.find(({ status }) => status !== 'queued') ??
    items.at(-1)
  )
}

/** A run by its id, of this session alone. */
export async function requireRunOf(
  store: StoreOperations,
  scope: string,
  sessionId: string,
  runId: string,
): Promise<Run> {
  const run = await store.getRun(scope, runId)
  if (run?.sessionId !== sessionId) throw notFound('run', runId)
  return run
}
