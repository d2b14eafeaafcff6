import type { JoinedFacets } from '../protocol/joined-facets.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Alongside, Backend, Db } from './backend.ts'
import type { FinalStatus } from './queries/run-row.ts'

interface CoreChanges {
  'session-changed': { scope: string; sessionId: string }
  'messages-appended': { scope: string; sessionId: string; lastSeq: number }
  /** Somebody searched and found that not all is in the index. */
  'messages-unindexed': { scope: string }
  'session-deleted': { scope: string; sessionId: string }
  'thread-changed': { scope: string; slug: string }
  'event-recorded': { scope: string }
  /** A run waits to be claimed. */
  'run-queued': { scope: string; sessionId: string; runId: string }
  /** A running run was asked to stop. */
  'run-stopping': { runId: string; reason: string }
  'approval-settled': { scope: string; id: string }
  'run-ended': {
    scope: string
    sessionId: string
    runId: string
    kind: string
    status: FinalStatus
    /** A stable word for what ended it, where there is one. */
    code?: string
  }
}

/** Changes that extensions add, by type. */
export interface ExtensionChanges {}

type Changes = CoreChanges & ExtensionChanges

/** What changed, emitted after the commit. Whoever was not listening finds the same in the store. */
export type StoreChange = { [Type in keyof Changes]: { type: Type } & Changes[Type] }[keyof Changes]

/** What every family of queries works with; `db` is the pool, or the transaction that is open. */
export interface QueryContext {
  readonly db: Db
  readonly backend: Backend
  readonly clock: Clock
  readonly ids: Ids
  readonly facets: JoinedFacets
  changed(change: StoreChange): void
  /** What is stored with the input of each new run, besides what it is given. */
  noteRun?(): object | undefined
  /** For what is stored in a transaction and not read again in it: see `Backend`. */
  readonly alongside: Alongside
  /** Joins the transaction that is open, or makes one. */
  transaction<T>(work: (context: QueryContext) => Promise<T>): Promise<T>
}

export interface RootOptions {
  backend: Backend
  clock: Clock
  ids: Ids
  facets: JoinedFacets
  onChange(change: StoreChange): void
  noteRun?: QueryContext['noteRun']
  /** Receives how each transaction went; undefined while nobody observes them. */
  onTransaction?(): ((done: { ms: number; attempts: number; isCommitted: boolean }) => void) | undefined
}

// more in a row means that something holds the rows for good
const maxAttempts = 4

export function createRootContext(options: RootOptions): QueryContext {
  const { backend, clock, ids, facets, onChange, noteRun, onTransaction } = options
  return {
    db: backend.db,
    backend,
    clock,
    ids,
    facets,
    changed: onChange,
    noteRun,
    alongside: async (answer) => void (await answer),
    async transaction(work) {
      const record = onTransaction?.()
      const began = record && performance.now()
      for (let attempt = 1; ; attempt++) {
        const changes: StoreChange[] = []
        const ended = (isCommitted: boolean) =>
          record?.({ ms: performance.now() - began!, attempts: attempt, isCommitted })
        try {
          const result = await backend.transaction((db, alongside) => {
            const context: QueryContext = {
              db,
              backend,
              clock,
              ids,
              facets,
              changed: (change) => void changes.push(change),
              noteRun,
              alongside,
              transaction: (inner) => inner(context),
            }
            return work(context)
          })
          ended(true)
          for (const change of changes) onChange(change)
          return result
        } catch (error) {
          if (attempt < maxAttempts && backend.isRetryable(error)) continue
          ended(false)
          throw error
        }
      }
    },
  }
}
