import { type Chunk, resuming, type RunEvent } from '../protocol/chunk.ts'
import type { Lease } from '../store/queries/claims.ts'
import { pack, unpack } from '../store/event-batch.ts'
import type { Store, StoreOperations } from '../store/store.ts'

/** The events of a run that this process executes. */
export interface RunLog {
  /** Live observers have it at once; it is stored a moment later, or with the step it belongs to. */
  emit(chunk: Chunk): void
  readonly lastSeq: number
  /**
   * Stores what is not stored yet together with the work it reports; all of it or nothing. Observers receive `last` when
   * it is stored: an observer that receives an end finds it in the store.
   */
  commit<T>(work: (tx: StoreOperations) => Promise<T>, last?: readonly Chunk[]): Promise<T>
  /**
   * The same for the end of a run that gets a course: `work` receives all of its events, those of earlier owners too, and
   * stores them in its way; what was stored of them before is removed.
   */
  conclude<T>(
    work: (tx: StoreOperations, events: readonly RunEvent[]) => Promise<T>,
    last: readonly Chunk[],
  ): Promise<T>
  /** Nothing more will happen here. If the run has not finished, observers continue with what others store. */
  close(isFinished: boolean): void
}

export interface EventHub {
  open(lease: Lease, lastSeq: number): RunLog
  /**
   * The events of a run after a place: what is stored, then what happens, until the run has finished. Whoever reads
   * slower than the run writes goes back to reading what is stored, so nothing is kept for it.
   */
  observe(runId: string, options: { after?: number; signal: AbortSignal }): AsyncGenerator<RunEvent[]>
  /** How many observe at the moment. */
  readonly observerCount: number
  stop(): Promise<void>
}

// long enough to gather many deltas in one write, short enough that a crash loses little that was seen
const flushMs = 50
// a reader that is behind by more than this reads from the store
const maxQueued = 2_000
const pollMs = 250
const batchesPerRead = 200
const eventsPerYield = 1_000

interface Observer {
  queue: RunEvent[]
  isBehind: boolean
  wake(): void
}

class OpenLog implements RunLog {
  readonly lease: Lease
  readonly observers = new Set<Observer>()
  /** Not stored yet, in order; those on their way into the store are among them. */
  unstored: RunEvent[] = []
  lastSeq: number
  /** Events of this run may be in the store. */
  hasStored: boolean
  isClosed = false
  isFinished = false
  /** Set while a transaction stores events of this log: they must be stored in their order. */
  storing: Promise<void> | undefined
  readonly #hub: LogOwner

  constructor(lease: Lease, lastSeq: number, hub: LogOwner) {
    this.lease = lease
    this.lastSeq = lastSeq
    this.hasStored = lastSeq > 0
    this.#hub = hub
  }

  emit(chunk: Chunk): void {
    const event = { seq: ++this.lastSeq, chunk }
    this.unstored.push(event)
    if (this.unstored.length === 1) this.#hub.noteDirty(this)
    this.#push(event)
  }

  #push(event: RunEvent): void {
    for (const observer of this.observers) {
      if (observer.isBehind) continue
      if (observer.queue.length >= maxQueued) {
        observer.queue.length = 0
        observer.isBehind = true
      } else observer.queue.push(event)
      observer.wake()
    }
  }

  commit<T>(work: (tx: StoreOperations) => Promise<T>, last: readonly Chunk[] = []): Promise<T> {
    return this.#storeWith(last, (events) =>
      this.#hub.storeAll([this], async (tx, [unstored = []]) => {
        await append(tx, this, [...unstored, ...events])
        return work(tx)
      }),
    )
  }

  conclude<T>(
    work: (tx: StoreOperations, events: readonly RunEvent[]) => Promise<T>,
    last: readonly Chunk[],
  ): Promise<T> {
    return this.#storeWith(last, (events) =>
      this.#hub.storeAll([this], async (tx, [unstored = []]) => {
        const stored = this.hasStored ? await tx.takeRunEvents(this.lease) : []
        return work(tx, [...stored, ...unstored, ...events])
      }),
    )
  }

  async #storeWith<T>(
    last: readonly Chunk[],
    store: (events: readonly RunEvent[]) => Promise<T>,
  ): Promise<T> {
    while (this.storing) await this.storing
    const events = last.map((chunk): RunEvent => ({ seq: ++this.lastSeq, chunk }))
    try {
      const result = await store(events)
      for (const event of events) this.#push(event)
      return result
    } catch (error) {
      // nothing was emitted: the next ones follow what waits to be stored, without a gap
      if (this.lastSeq === events.at(-1)?.seq) this.lastSeq -= events.length
      throw error
    }
  }

  close(isFinished: boolean): void {
    this.isClosed = true
    this.isFinished = isFinished
    this.#hub.forget(this)
    for (const observer of this.observers) observer.wake()
  }
}

interface LogOwner {
  noteDirty(log: OpenLog): void
  forget(log: OpenLog): void
  storeAll<T>(logs: OpenLog[], work: StoresEvents<T>): Promise<T>
}

/** Receives what is not stored yet of each log. */
type StoresEvents<T> = (tx: StoreOperations, unstored: readonly (readonly RunEvent[])[]) => Promise<T>

async function append(tx: StoreOperations, log: OpenLog, events: readonly RunEvent[]): Promise<void> {
  if (events.length === 0) return
  log.hasStored = true
  await tx.appendRunEvents(log.lease, pack(events))
}

export function createEventHub(store: Store, onError: (error: unknown) => void): EventHub {
  const logs = new Map<string, OpenLog>()
  const dirty = new Set<OpenLog>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  let observerCount = 0

  /** One transaction for the events of several runs, and the work that goes with them. */
  async function storeAll<T>(batch: OpenLog[], work: StoresEvents<T>): Promise<T> {
    const unstored = batch.map((log) => [...log.unstored])
    const stored = store.transaction((tx) => work(tx, unstored))
    const settled = stored.then(
      () => {
        for (const [index, log] of batch.entries()) {
          log.unstored.splice(0, unstored[index]!.length)
          if (log.unstored.length > 0) hub.noteDirty(log)
        }
      },
      () => {},
    )
    for (const log of batch) log.storing = settled
    try {
      return await stored
    } finally {
      await settled
      for (const log of batch) log.storing = undefined
    }
  }

  // many runs that stream at once cost as many commits as one
  const flush = async () => {
    timer = undefined
    // by their ids, as all who write to several runs at once do: two of them cannot wait for each other
    const batch = [...dirty]
      .filter((log) => !log.storing && log.unstored.length > 0)
      .toSorted((one, other) => (one.lease.runId < other.lease.runId ? -1 : 1))
    dirty.clear()
    if (batch.length === 0) return
    try {
      await storeAll(batch, async (tx, unstored) => {
        await Promise.all(batch.map((log, index) => append(tx, log, unstored[index]!)))
      })
    } catch (error) {
      if (batch.length === 1) return onError(error)
      // one of them lost its lease: the others are not to suffer for it
      for (const log of batch) await log.commit(async () => {}).catch(onError)
    }
  }
  const hub: LogOwner = {
    noteDirty(log) {
      dirty.add(log)
      timer ??= setTimeout(() => void (flushing = flushing.then(flush)), flushMs)
    },
    forget(log) {
      dirty.delete(log)
      if (logs.get(log.lease.runId) === log) logs.delete(log.lease.runId)
    },
    storeAll,
  }

  return {
    open(lease, lastSeq) {
      const log = new OpenLog(lease, lastSeq, hub)
      logs.set(lease.runId, log)
      return log
    },

    get observerCount() {
      return observerCount
    },

    async *observe(runId, { after = 0, signal }) {
      let last = after
      observerCount++
      using _ = { [Symbol.dispose]: () => void observerCount-- }
      let isFirstLook = true
      while (!signal.aborted) {
        const log = logs.get(runId)
        if (log) {
          for await (const events of follow(store, log, last, signal)) {
            last = events.at(-1)!.seq
            yield events
          }
          if (log.isClosed && !log.isFinished) continue
          return
        }
        // somebody else executes it, or it has finished
        const isFinished = await store.isRunFinished(runId)
        for await (const events of readStored(store, runId, last)) {
          last = events.at(-1)!.seq
          yield events
        }
        if (isFinished) return
        // who comes back after a crash is told at once, not only by the next owner
        if (isFirstLook && (await store.isRunLeft(runId))) yield [{ seq: last, chunk: resuming }]
        isFirstLook = false
        await sleep(pollMs, signal)
      }
    },

    async stop() {
      clearTimeout(timer)
      await flushing
      await flush()
    },
  }
}

/** What is stored, what is on its way there, then what comes; falls back to the store when it cannot keep up. */
async function* follow(
  store: Store,
  log: OpenLog,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent[]> {
  let last = after
  let wake = () => {}
  const observer: Observer = { queue: [], isBehind: false, wake: () => wake() }
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  log.observers.add(observer)
  try {
    for (let isCatchingUp = true; !signal.aborted;) {
      if (isCatchingUp) {
        observer.queue = []
        observer.isBehind = false
        isCatchingUp = false
        const unstored = [...log.unstored]
        const firstUnstored = unstored[0]?.seq ?? log.lastSeq + 1
        // what was just begun has nothing in the store yet
        if (firstUnstored > last + 1)
          for await (const events of readStored(store, log.lease.runId, last)) {
            last = events.at(-1)!.seq
            yield events
          }
        const rest = unstored.filter(({ seq }) => seq > last)
        if (rest.length > 0) {
          last = rest.at(-1)!.seq
          yield rest
        }
      }
      const fresh = observer.queue.filter(({ seq }) => seq > last)
      observer.queue = []
      if (fresh.length > 0) {
        last = fresh.at(-1)!.seq
        yield fresh
        continue
      }
      if (observer.isBehind) isCatchingUp = true
      else if (log.isClosed) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
          if (observer.queue.length > 0 || observer.isBehind || log.isClosed || signal.aborted) resolve()
        })
    }
  } finally {
    log.observers.delete(observer)
    signal.removeEventListener('abort', onAbort)
  }
}

async function* readStored(store: Store, runId: string, after: number): AsyncGenerator<RunEvent[]> {
  for (let last = after; ;) {
    const batches = await store.listRunEvents(runId, { after: last, limit: batchesPerRead })
    for (const batch of batches) {
      const events = unpack(batch).filter(({ seq }) => seq > last)
      last = batch.seq
      // a run that is over has all of its events in one
      for (let from = 0; from < events.length; from += eventsPerYield)
        yield events.slice(from, from + eventsPerYield)
    }
    if (batches.length < batchesPerRead) return
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
