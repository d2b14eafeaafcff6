import { sql } from 'kysely'
import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Backend } from './backend.ts'
import { joinFacets, type JoinedFacets } from '../protocol/joined-facets.ts'
import { createRootContext, type QueryContext, type RootOptions, type StoreChange } from './query-context.ts'
import { migrate, readMigrationLists } from './migrate.ts'
import { approvalQueries, type ApprovalQueries } from './queries/approvals.ts'
import { awaitedCallQueries, type AwaitedCallQueries } from './queries/awaited-calls.ts'
import { auditQueries, type AuditQueries } from './queries/audit.ts'
import { budgetQueries, type BudgetQueries } from './queries/budgets.ts'
import { checkpointQueries, type CheckpointQueries } from './queries/checkpoints.ts'
import { claimQueries, type ClaimQueries } from './queries/claims.ts'
import { epochQueries, type EpochQueries } from './queries/epochs.ts'
import { eventQueries, type EventQueries } from './queries/events.ts'
import { idempotencyQueries, type IdempotencyQueries } from './queries/idempotency.ts'
import { inboxQueries, type InboxQueries } from './queries/inbox.ts'
import { loadQueries, type LoadQueries } from './queries/load.ts'
import { deletedSessionQueries, type DeletedSessionQueries } from './queries/deleted-sessions.ts'
import { messageQueries, type MessageQueries } from './queries/messages.ts'
import { rollbackQueries, type RollbackQueries } from './queries/rollback.ts'
import { runEventQueries, type RunEventQueries } from './queries/run-events.ts'
import { runStepQueries, type RunStepQueries } from './queries/run-steps.ts'
import { runQueries, type RunQueries } from './queries/runs.ts'
import { scopeQueries, type ScopeQueries } from './queries/scopes.ts'
import { searchQueries, type SearchQueries } from './queries/search.ts'
import { searchIndexQueries, type SearchIndexQueries } from './queries/search-index.ts'
import { sessionQueries, type SessionQueries } from './queries/sessions.ts'
import { settingQueries, type SettingQueries } from './queries/settings.ts'
import { snapshotQueries, type SnapshotQueries } from './queries/snapshots.ts'
import { threadQueries, type ThreadQueries } from './queries/threads.ts'
import { toolListQueries, type ToolListQueries } from './queries/tool-lists.ts'
import { turnStartQueries, type TurnStartQueries } from './queries/turn-start.ts'
import { usageQueries, type UsageQueries } from './queries/usage.ts'
import { windowQueries, type WindowQueries } from './queries/windows.ts'
import type { HeldOwner } from './owner-locks.ts'
import type { StoreSlice } from './store-slice.ts'

/** The queries of extensions. */
export interface ExtensionQueries {}

/** What can be done in the store, alone or as part of a transaction. */
export interface StoreOperations
  extends
    ScopeQueries,
    SessionQueries,
    TurnStartQueries,
    DeletedSessionQueries,
    MessageQueries,
    WindowQueries,
    RunQueries,
    ClaimQueries,
    RunEventQueries,
    RunStepQueries,
    EpochQueries,
    ToolListQueries,
    BudgetQueries,
    EventQueries,
    ThreadQueries,
    InboxQueries,
    ApprovalQueries,
    AwaitedCallQueries,
    CheckpointQueries,
    SnapshotQueries,
    RollbackQueries,
    SettingQueries,
    AuditQueries,
    UsageQueries,
    LoadQueries,
    IdempotencyQueries,
    SearchQueries,
    SearchIndexQueries,
    ExtensionQueries {
  /** What extensions keep in the records of sessions. */
  readonly facets: JoinedFacets
  /** All of it commits, or none. Inside a transaction it joins that one. */
  transaction<T>(work: (tx: StoreOperations) => Promise<T>): Promise<T>
}

/**
 * Everything Parley keeps. When a method has resolved, its effect is on disk. A database that is full or out of
 * reach is a refusal (`storage_full`, `store_unavailable`), and then nothing of the call was stored.
 */
export interface Store extends StoreOperations, AsyncDisposable {
  readonly backend: Backend['name']
  /** Notifies of changes that this process committed; returns a function that unsubscribes. */
  subscribe(listener: (change: StoreChange) => void): () => void
  /** Makes an owner of runs known as alive until the store is closed or this process ends; answers its name in leases. */
  holdOwner(name: string): Promise<string>
  /** Throws when the database does not answer. */
  ping(): Promise<void>
  /** Reads the whole database; what is wrong with it, or undefined. */
  checkIntegrity(): Promise<string | undefined>
  close(): Promise<void>
}

interface StoreDeps extends Pick<RootOptions, 'noteRun' | 'onTransaction'> {
  clock: Clock
  ids: Ids
  /** What extensions have in it, in the order in which they are asked. */
  slices?: readonly StoreSlice[]
}

/** Brings the schema up to date first. */
export async function createStore(
  backend: Backend,
  { clock, ids, slices = [], ...watched }: StoreDeps,
): Promise<Store> {
  const listeners = new Set<(change: StoreChange) => void>()
  let isClosed = false
  const owners: HeldOwner[] = []
  const close = async () => {
    isClosed = true
    await Promise.all(owners.map((owner) => owner.release()))
    await backend.close()
  }
  const requireOpen = () => {
    if (isClosed) throw closed()
  }
  const operations = await refusing(backend, async () => {
    const root = createRootContext({
      backend,
      clock,
      ids,
      facets: joinFacets(slices),
      onChange: (change) => listeners.forEach((listener) => listener(change)),
      ...watched,
    })
    const made = createOperations(root, slices, () => isClosed)
    await migrate(backend, readMigrationLists(backend.name, slices))
    return made
  }).catch(async (error: unknown) => {
    await backend.close()
    throw toOpenRefusal(error)
  })
  return {
    ...operations,
    backend: backend.name,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    holdOwner: (name) =>
      refusing(backend, async () => {
        requireOpen()
        const owner = await backend.owners.hold(name)
        owners.push(owner)
        return owner.name
      }),
    ping: () =>
      refusing(backend, async () => {
        requireOpen()
        await sql`select 1 from scopes limit 1`.execute(backend.db)
      }),
    checkIntegrity: () =>
      refusing(backend, async () => {
        requireOpen()
        return backend.checkIntegrity()
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Family = (context: QueryContext, slices: readonly StoreSlice[]) => object

const coreFamilies: readonly Family[] = [
  scopeQueries,
  sessionQueries,
  turnStartQueries,
  deletedSessionQueries,
  messageQueries,
  windowQueries,
  runQueries,
  claimQueries,
  runEventQueries,
  runStepQueries,
  epochQueries,
  toolListQueries,
  budgetQueries,
  eventQueries,
  threadQueries,
  inboxQueries,
  approvalQueries,
  awaitedCallQueries,
  checkpointQueries,
  snapshotQueries,
  rollbackQueries,
  settingQueries,
  auditQueries,
  usageQueries,
  loadQueries,
  idempotencyQueries,
  searchQueries,
  searchIndexQueries,
]

type Query = (...values: never[]) => Promise<unknown>

/** Makes the queries of a context. A transaction that was begun may end, also while the store closes. */
function createOperations(
  root: QueryContext,
  slices: readonly StoreSlice[],
  isClosed: () => boolean,
): StoreOperations {
  const families = [
    ...coreFamilies.map((make) => ({ make, owner: 'core' })),
    ...slices.flatMap(({ name, queries = [] }) => queries.map((make: Family) => ({ make, owner: name }))),
  ]
  const owners = new Map<string, string>(storeNames.map((name) => [name, 'core']))
  class Transaction {
    readonly #context: QueryContext
    readonly #made: (Record<string, Query> | undefined)[] = []

    constructor(context: QueryContext) {
      this.#context = context
    }

    get facets(): JoinedFacets {
      return this.#context.facets
    }

    transaction(work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
      return guard(() => this.#context.transaction((tx) => work(new Transaction(tx))))
    }

    /** Every transaction has its own queries and uses a few of them: a family is created on first use. */
    query(index: number, name: string): Query {
      const family = (this.#made[index] ??= families[index]!.make(this.#context, slices) as Record<
        string,
        Query
      >)
      return (...values) => guard(() => family[name]!(...values))
    }
  }
  // what is still under way while it closes may find the database gone
  const guard = <T>(work: () => Promise<T>) => refusing(root.backend, work, isClosed)
  const all = new Transaction(root)
  const whileOpen =
    <Given extends unknown[], T>(query: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> =>
      isClosed() ? Promise.reject(closed()) : query(...given)
  const queries: Record<string, unknown> = {
    facets: root.facets,
    transaction: whileOpen(all.transaction.bind(all)),
  }
  requireOwnNames(slices)
  families.forEach(({ make, owner }, index) => {
    for (const name of Object.keys(make(root, slices))) {
      const other = owners.get(name)
      if (other !== undefined)
        throw invalidRequest(
          `The store has two queries ${quote(name)}: of ${quote(other)} and ${quote(owner)}.`,
        )
      owners.set(name, owner)
      queries[name] = whileOpen(all.query(index, name))
      Object.defineProperty(Transaction.prototype, name, {
        get(this: Transaction) {
          return this.query(index, name)
        },
      })
    }
  })
  // the families' interfaces make up StoreOperations, which a list of names cannot show
  return queries as unknown as StoreOperations
}

/** What a store has beside its queries. */
const storeNames = [
  'facets',
  'transaction',
  'backend',
  'subscribe',
  'holdOwner',
  'ping',
  'checkIntegrity',
  'close',
]

function requireOwnNames(slices: readonly StoreSlice[]): void {
  const names = slices.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw invalidRequest(`Two extensions of the store are named ${quote(twice)}.`)
}

const closed = (cause?: unknown) => new ParleyError('shutting_down', 'This Parley is closed.', { cause })

/** Whoever opens it has made no request that could be repeated, but can see to the database. */
function toOpenRefusal(error: unknown): unknown {
  if (!(error instanceof ParleyError && error.code === 'store_unavailable')) return error
  const { cause } = error as { cause?: Error & { code?: string } }
  if (cause === undefined) return error
  // several addresses of one name are tried, and then there is only a code
  const reason = cause.message || cause.code
  const isRefused = /^(28|3D|42501)/.test(cause.code ?? '')
  const hint = isRefused
    ? 'Correct its address, or create what is missing.'
    : 'Start it, or correct its address.'
  return new ParleyError('store_unavailable', `The database cannot be opened: ${reason}. ${hint}`, { cause })
}

/** Database failures that a caller can understand leave here as refusals. */
async function refusing<T>(backend: Backend, work: () => Promise<T>, isClosed = () => false): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ParleyError) throw error
    throw isClosed() ? closed(error) : (backend.toRefusal(error) ?? error)
  }
}
