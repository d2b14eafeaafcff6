import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { EventFrame } from '../../../src/client/index.ts'
import type { PlanTree } from '../../../src/extensions/plan/protocol/plan.ts'
import { useClient } from '../api/api.tsx'
import { toKnown } from '../api/events.ts'
import { planKeys, treeQuery } from './queries.ts'
import { useLiveEvents } from '../api/live.tsx'
import { useScope } from '../api/scope.ts'
import { toTree } from './plan-tree.ts'
import type { NodeStatus } from './status.ts'

/** A plan with all its nodes, as they are now. */
export function usePlan(planId: string) {
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery({
    ...treeQuery(client, planId, scope),
    // nodes that went on while nobody looked are not told here
    staleTime: 0,
  })
  useNodesThatGoOn(planId)
  const tree = useMemo(() => data && toTree(data.nodes), [data])
  return { plan: data?.plan, tree, error, refetch }
}

// a large tree is not asked for at every node; what cannot wait is in the event
const pauseMs = 700
const pauseMsLarge = 4_000
const large = 2_000

/** How a node stands is in its event, and shown at once; what else came of it is asked for a little later. */
function useNodesThatGoOn(planId: string): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLiveEvents(
    useCallback(
      (event: EventFrame) => {
        const known = toKnown(event)
        if (known?.type !== 'plan-node' || known.data.planId !== planId) return
        const { nodeId, status } = known.data
        if (nodeId === undefined || status === undefined) return
        const queryKey = planKeys.tree(planId)
        const shown = queries.setQueryData<PlanTree>(
          queryKey,
          (was) => was && withStatus(was, nodeId, status),
        )
        timer.current ??= setTimeout(
          () => {
            timer.current = undefined
            void queries.invalidateQueries({ queryKey })
          },
          (shown?.nodes.length ?? 0) > large ? pauseMsLarge : pauseMs,
        )
      },
      [planId, queries],
    ),
  )
}

const withStatus = (was: PlanTree, nodeId: number, status: NodeStatus): PlanTree => ({
  ...was,
  nodes: was.nodes.map((node) => (node.id === nodeId ? { ...node, status } : node)),
})
