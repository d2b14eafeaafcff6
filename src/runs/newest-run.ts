import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'

// of those that wait in a session a person has one or two
const looked = 20

/** What one sees who opens a session: the run that goes on, or the one that went on last. */
export async function newestRun(
  store: StoreOperations,
  scope: string,
  sessionId: string,
): Promise<Run | undefined> {
  const { items } = await store.listRuns(scope, { sessionId, limit: looked })
  return items.find(({ status }) => status === 'running') ?? items.find(({ status }) => status !== 'queued')
}
