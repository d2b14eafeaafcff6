import type { RunPreview } from './protocol/run-preview.ts'
import { cut } from '../../core/shared/text.ts'
import type { PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './plan-service.ts'
import { limitsFor, type WantedLimits } from './run-budget.ts'

const shownNodes = 100
const shownInstruction = 500
// older ones say little of what the next will use
const knownNodes = 50

/** What running these nodes would come to, as far as that can be known before. */
export async function previewRun(
  store: StoreOperations,
  deps: Pick<PlanDeps, 'limits' | 'prices'>,
  plan: PlanRecord,
  nodeIds: readonly number[],
  wanted: WantedLimits,
): Promise<RunPreview> {
  const shown = nodeIds.toSorted((a, b) => a - b).slice(0, shownNodes)
  const nodes = await store.getNodes(plan.id, shown)
  const estimate = await estimateFor(store, plan, nodeIds.length)
  return {
    planId: plan.id,
    title: plan.title,
    version: plan.version,
    nodeCount: nodeIds.length,
    nodes: shown.flatMap((id) => {
      const node = nodes.get(id)
      return node ? [{ id, name: node.name, instruction: cut(node.instruction, shownInstruction) }] : []
    }),
    lastNode: plan.lastNode,
    ...(estimate && { estimate }),
    limit: limitsFor(deps, wanted),
  }
}

/** By what nodes of this plan used, or else those of other plans; an average is all that is known of the next one. */
async function estimateFor(
  store: StoreOperations,
  { id, scope }: PlanRecord,
  count: number,
): Promise<RunPreview['estimate']> {
  const own = await store.listNodeSpending(scope, id, knownNodes)
  const known = own.length > 0 ? own : await store.listNodeSpending(scope, undefined, knownNodes)
  if (known.length === 0) return undefined
  const average = (amounts: readonly number[]) =>
    amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length
  const costs = known.flatMap(({ cost }) => cost ?? [])
  return {
    tokens: Math.round(average(known.map(({ tokens }) => tokens)) * count),
    // those without a price would make it look cheaper than it is
    ...(costs.length === known.length && { cost: average(costs) * count }),
    basedOn: known.length,
  }
}
