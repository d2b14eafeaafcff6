import type { StaleQueries } from '../api/stale-queries.ts'

export const workflowKeys = {
  workflows: (filter: object = {}) => ['workflows', filter] as const,
  workflow: (id: string) => ['workflows', id] as const,
  versions: (id: string) => ['workflows', id, 'versions'] as const,
  version: (id: string, version: number) => ['workflows', id, 'versions', version] as const,
  verdict: (scope: string | undefined, text: string) => ['workflow-verdict', scope, text] as const,
  runs: (filter: object = {}) => ['workflow-runs', filter] as const,
  run: (id: string) => ['workflow-runs', id] as const,
}

const ofDefinitions = ['workflow-saved', 'workflow-deleted']

export const workflowQueries: StaleQueries = {
  workflows: { events: ofDefinitions },
  'workflow-runs': {
    events: ['workflow-*'],
    key: ({ type }) => (ofDefinitions.includes(type) ? undefined : ['workflow-runs']),
  },
}
