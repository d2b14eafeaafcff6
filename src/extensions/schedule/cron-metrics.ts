import type { MetricContribution, MetricSample } from '../../core/http/contributions.ts'
import type { Store } from '../../core/store/store.ts'

/** Times of crons that this process has fired or skipped since it started. */
export function countCronFires(store: Pick<Store, 'subscribe'>): MetricContribution {
  const counts = new Map<string, MetricSample>()
  store.subscribe((change) => {
    if (change.type !== 'cron-fired') return
    const labels = { cause: change.cause, outcome: change.outcome }
    const key = Object.values(labels).join()
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + change.times })
  })
  return {
    name: 'parley_cron_fires_total',
    help: 'Times of crons',
    type: 'counter',
    labels: ['cause', 'outcome'],
    read: () => [...counts.values()],
  }
}
