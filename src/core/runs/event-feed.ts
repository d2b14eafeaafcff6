import type { EventFrame } from '../protocol/event-socket.ts'
import type { ScopeEvent } from '../protocol/event.ts'
import type { Store } from '../store/store.ts'

/**
 * The events of scopes, for any number of followers. An event is read from the store once, however many follow. A
 * follower is a place in the numbers and has no queue: a slow reader continues from the store.
 */
export interface EventFeed {
  /** What was recorded after a place (default: none of it), then what comes. Ends with the signal. */
  follow(scope: string, options: { after?: number; signal: AbortSignal }): AsyncGenerator<EventFrame[]>
  /** How many follow at the moment. */
  readonly followers: number
}

// other processes write to the same store without a word to this one
const pollMs = 500
// what followers find without asking the store: enough for a moment of inattention, and for all who come back at once
const keptEvents = 1_000
const eventsPerRead = 500

/** The newest events of a scope that somebody follows. */
interface Tail {
  followers: number
  /** In order and without holes; ends with `last`. */
  kept: ScopeEvent[]
  last: number
  ready: Promise<void>
  waiting: Set<() => void>
  isPulling: boolean
  wantsPull: boolean
}

/** Costs nothing while nobody follows. */
export function createEventFeed(store: Store, onError: (error: unknown) => void): EventFeed {
  const tails = new Map<string, Tail>()
  let unsubscribe = () => {}
  let timer: NodeJS.Timeout | undefined
  let isPolling = false

  function enter(scope: string): Tail {
    const known = tails.get(scope)
    if (known) {
      known.followers++
      return known
    }
    if (tails.size === 0) begin()
    const tail: Tail = {
      followers: 1,
      kept: [],
      last: 0,
      ready: Promise.resolve(),
      waiting: new Set(),
      isPulling: false,
      wantsPull: false,
    }
    tails.set(scope, tail)
    tail.ready = load(scope, tail)
    return tail
  }

  function leave(scope: string, tail: Tail): void {
    if (--tail.followers > 0) return
    tails.delete(scope)
    if (tails.size > 0) return
    unsubscribe()
    clearInterval(timer)
  }

  function begin(): void {
    unsubscribe = store.subscribe((change) => {
      if (change.type === 'event-recorded') void pull(change.scope)
    })
    timer = setInterval(() => void poll(), pollMs)
    timer.unref()
  }

  async function load(scope: string, tail: Tail): Promise<void> {
    const { last } = await store.getEventRange(scope)
    const after = Math.max(0, last - keptEvents)
    tail.last = after
    for (let page: ScopeEvent[]; ;) {
      page = await store.listEvents(scope, { after: tail.last, limit: eventsPerRead })
      if (page.length > 0) add(tail, page)
      if (page.length < eventsPerRead) break
    }
    // the newest may be gone while the numbers continue
    tail.last = Math.max(tail.last, last)
    if (tail.kept.at(-1)?.seq !== tail.last) tail.kept = []
  }

  async function poll(): Promise<void> {
    if (isPolling) return
    isPolling = true
    try {
      const newest = await store.getLastEventSeqs([...tails.keys()])
      for (const [scope, seq] of newest) if (seq > (tails.get(scope)?.last ?? seq)) void pull(scope)
    } catch (error) {
      onError(error)
    } finally {
      isPolling = false
    }
  }

  /** Reads what is new, once for all. A failure is made good by the next poll. */
  async function pull(scope: string): Promise<void> {
    const tail = tails.get(scope)
    if (!tail) return
    tail.wantsPull = true
    if (tail.isPulling) return
    tail.isPulling = true
    try {
      await tail.ready
      while (tail.wantsPull) {
        tail.wantsPull = false
        const page = await store.listEvents(scope, { after: tail.last, limit: eventsPerRead })
        if (page.length > 0) add(tail, page)
        if (page.length === eventsPerRead) tail.wantsPull = true
      }
    } catch (error) {
      onError(error)
    } finally {
      tail.isPulling = false
    }
  }

  return {
    get followers() {
      return [...tails.values()].reduce((sum, tail) => sum + tail.followers, 0)
    },

    async *follow(scope, { after, signal }) {
      const tail = enter(scope)
      let wake = () => {}
      const onAbort = () => wake()
      signal.addEventListener('abort', onAbort)
      try {
        await tail.ready
        const { last: newest } = await store.getEventRange(scope)
        if (newest > tail.last) void pull(scope)
        let last = after ?? newest
        // numbers that never were come from another database: what the follower knows is worth nothing here
        if (last > newest) {
          yield [{ type: 'gap', after: last, seq: newest }]
          last = newest
        }
        while (!signal.aborted) {
          const frames = inMemory(tail, last) ?? (await readStored(store, scope, last, tail.last))
          if (frames.length > 0) {
            last = frames.at(-1)!.seq
            yield frames
            continue
          }
          await new Promise<void>((resolve) => {
            wake = resolve
            tail.waiting.add(resolve)
            if (tail.last > last || signal.aborted) resolve()
          })
          tail.waiting.delete(wake)
        }
      } finally {
        signal.removeEventListener('abort', onAbort)
        tail.waiting.delete(wake)
        leave(scope, tail)
      }
    },
  }
}

function add(tail: Tail, page: ScopeEvent[]): void {
  if (page[0]!.seq !== tail.last + 1) tail.kept = []
  tail.kept.push(...page)
  if (tail.kept.length > 2 * keptEvents) tail.kept = tail.kept.slice(-keptEvents)
  tail.last = page.at(-1)!.seq
  const waiting = [...tail.waiting]
  tail.waiting.clear()
  for (const wake of waiting) wake()
}

/** Undefined when the place lies before what is kept here. */
function inMemory({ kept, last: newest }: Tail, last: number): ScopeEvent[] | undefined {
  if (last >= newest) return []
  const first = kept[0]?.seq ?? newest + 1
  return first > last + 1 ? undefined : kept.slice(last + 1 - first, last + 1 - first + eventsPerRead)
}

/** Numbers have no holes: where the next one is missing, it and all before the first that is there are gone. */
async function readStored(store: Store, scope: string, last: number, newest: number): Promise<EventFrame[]> {
  const page = await store.listEvents(scope, { after: last, limit: eventsPerRead })
  const first = page[0]?.seq ?? newest + 1
  return first === last + 1 ? page : [{ type: 'gap', after: last, seq: first - 1 }, ...page]
}
