import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
import type { StaleQueries } from '../api/stale-queries.ts'

export const planKeys = {
  plans: (filter: object = {}) => ['plans', filter] as const,
  plan: (id: string) => ['plan', id] as const,
  tree: (id: string) => ['plan', id, 'tree'] as const,
  node: (id: string, nodeId: number) => ['plan', id, 'node', nodeId] as const,
  versions: (id: string) => ['plan', id, 'versions'] as const,
  runs: (filter: object = {}) => ['plan-runs', filter] as const,
  run: (id: string) => ['plan-runs', id] as const,
}

type Client = Pick<ParleyClient, 'plans'>
type Scope = string | undefined

export const treeQuery = ({ plans }: Client, id: string, scope: Scope) =>
  queryOptions({ queryKey: planKeys.tree(id), queryFn: () => plans.tree(id, { scope }) })

export const nodeQuery = ({ plans }: Client, id: string, nodeId: number, scope: Scope) =>
  queryOptions({ queryKey: planKeys.node(id, nodeId), queryFn: () => plans.node(id, nodeId, { scope }) })

/** Without an id it is not asked for. */
export const planRunQuery = ({ plans }: Client, id: string | undefined, scope: Scope) =>
  queryOptions({
    queryKey: planKeys.run(id ?? ''),
    queryFn: () => plans.getRun(id!, { scope }),
    enabled: id !== undefined,
  })

export const planQueries: StaleQueries = {
  plans: { events: ['plan-*'] },
  'plan-runs': { events: ['plan-*'] },
  plan: {
    events: ['plan-*'],
    // a node that goes on changes a tree that may be very large: whoever shows it changes that node in it
    key: ({ type, data: { planId, nodeId } }) =>
      typeof planId !== 'string'
        ? undefined
        : type === 'plan-node'
          ? planKeys.node(planId, Number(nodeId))
          : planKeys.plan(planId),
  },
}
