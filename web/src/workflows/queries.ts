import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
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

type Client = Pick<ParleyClient, 'workflows'>
type Scope = string | undefined

export const workflowQuery = ({ workflows }: Client, id: string, scope: Scope) =>
  queryOptions({ queryKey: workflowKeys.workflow(id), queryFn: () => workflows.get(id, { scope }) })

export const workflowRunQuery = ({ workflows }: Client, id: string, scope: Scope) =>
  queryOptions({ queryKey: workflowKeys.run(id), queryFn: () => workflows.getRun(id, { scope }) })

const ofDefinitions = ['workflow-saved', 'workflow-deleted']

export const workflowQueries: StaleQueries = {
  workflows: { events: ofDefinitions },
  'workflow-runs': {
    events: ['workflow-*'],
    key: ({ type }) => (ofDefinitions.includes(type) ? undefined : ['workflow-runs']),
  },
}
