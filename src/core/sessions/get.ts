import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { readProgress } from './task-progress.ts'

// a record stays small however many turns a session had; the list of checkpoints has a route of its own
const newestCheckpoints = 20

export async function getSession(store: StoreOperations, { scope }: Caller, id: string): Promise<Session> {
  const session = await store.requireSession(scope, id)
  const progress = await readProgress(store, session)
  const checkpoints = await store.listCheckpoints(id, { newest: newestCheckpoints })
  return { ...session, ...(progress && { progress }), checkpoints }
}
