import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Backend, Db } from './backend.ts'

/** What changed, told after the commit. Whoever was not listening finds the same in the store. */
export type StoreChange =
  | { type: 'session-changed'; scope: string; sessionId: string }
  | { type: 'messages-appended'; scope: string; sessionId: string; lastSeq: number }
  | { type: 'session-deleted'; scope: string; sessionId: string }
  | { type: 'thread-changed'; scope: string; slug: string }
  | { type: 'event-recorded'; scope: string; seq: number }
  /** A run waits to be claimed. */
  | { type: 'run-queued'; scope: string; sessionId: string; runId: string }
  | { type: 'approval-settled'; scope: string; id: string }
  | { type: 'run-ended'; scope: string; sessionId: string; runId: string }

/** What every family of queries works with; `db` is the pool, or the transaction that is open. */
export interface QueryContext {
  readonly db: Db
  readonly backend: Backend
  readonly clock: Clock
  readonly ids: Ids
  changed(change: StoreChange): void
  /** Joins the transaction that is open, or makes one. */
  transaction<T>(work: (context: QueryContext) => Promise<T>): Promise<T>
}

export interface RootOptions {
  backend: Backend
  clock: Clock
  ids: Ids
  onChange(change: StoreChange): void
}

// more in a row means that something holds the rows for good
const maxAttempts = 4

export function createRootContext({ backend, clock, ids, onChange }: RootOptions): QueryContext {
  return {
    db: backend.db,
    backend,
    clock,
    ids,
    changed: onChange,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        const changes: StoreChange[] = []
        try {
          const result = await backend.db.transaction().execute((db) => {
            const context: QueryContext = {
              db,
              backend,
              clock,
              ids,
              changed: (change) => void changes.push(change),
              transaction: (inner) => inner(context),
            }
            return work(context)
          })
          for (const change of changes) onChange(change)
          return result
        } catch (error) {
          if (attempt === maxAttempts || !backend.isRetryable(error)) throw error
        }
      }
    },
  }
}
