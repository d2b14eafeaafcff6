import { Gauge, type Registry } from 'prom-client'
import type { Chats } from '../core/chat/chats.ts'
import type { EventFeed } from '../core/runs/event-feed.ts'
import type { Load } from '../core/store/queries/load.ts'
import type { Store } from '../core/store/store.ts'

export interface StateSources {
  store: Store
  chats: Chats
  events: EventFeed
  version: string
}

// several scrapers, or one in a hurry, cost the database no more than this
const keptMs = 2_000

/** Current state, read on each scrape. Values from the store are the same on every node. */
export function addStateMetrics(registry: Registry, { store, chats, events, version }: StateSources): void {
  const readLoad = keep(() => store.readLoad().catch(() => undefined))
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    show: (gauge: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge<Label>({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return show(this)
      },
    })
  const gaugeOfStore = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    show: (gauge: Gauge<Label>, load: Load) => void,
  ) =>
    gauge(name, help, labelNames, async (all) => {
      all.reset()
      const load = await readLoad()
      if (load) show(all, load)
      // what cannot be known now is left out, and not 0
      else if (labelNames.length === 0) all.remove()
    })

  gaugeOfStore('parley_runs_open', 'Runs that are not over', ['kind', 'status'], (all, { runs }) => {
    for (const { kind, status, count } of runs) all.set({ kind, status }, count)
  })
  gaugeOfStore('parley_runs_oldest_queued_seconds', 'Longest wait to begin', ['kind'], (all, { runs }) => {
    for (const { kind, status, oldestMs } of runs)
      if (status === 'queued') all.set({ kind }, oldestMs / 1_000)
  })
  gaugeOfStore('parley_approvals_pending', 'What waits for a person', [], (all, { approvals }) =>
    all.set(approvals),
  )
  gaugeOfStore('parley_schema_version', 'The newest migration that was applied', [], (all, load) =>
    all.set(load.schemaVersion),
  )
  gauge('parley_store_up', '1 when the store answers', [], async (one) => one.set((await readLoad()) ? 1 : 0))
  gauge('parley_observers', 'Who follows runs, or the events of scopes', ['of'], (all) => {
    all.set({ of: 'runs' }, chats.observerCount)
    all.set({ of: 'events' }, events.followers)
  })
  gauge(
    'parley_build_info',
    'Always 1; what runs here is in its labels',
    ['version', 'node', 'store'],
    (one) => one.set({ version, node: process.version, store: store.backend }, 1),
  )
}

/** One read serves all scrapes at about the same time. */
function keep<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | undefined
  return () => {
    const now = performance.now()
    if (!last || now - last.at > keptMs) last = { at: now, value: read() }
    return last.value
  }
}
