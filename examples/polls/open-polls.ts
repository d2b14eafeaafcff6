import type { MetricContribution, Store } from 'parley/extension'

/** Read at every scrape of `/metrics`. */
export const openPolls = (store: Store): MetricContribution => ({
  name: 'parley_polls_open',
  help: 'Polls that take votes',
  type: 'gauge',
  read: async () => [{ value: await store.countOpenPolls() }],
})
