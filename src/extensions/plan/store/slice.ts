import { planFacets } from '../facets.ts'
import { planRunSource } from '../protocol/session-kinds.ts'
import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { planFigureQueries, type PlanFigureQueries } from './plan-figures.ts'
import { giveNodesBack, planNodeQueries, type PlanNodeQueries } from './plan-nodes.ts'
import { planProgressQueries, type PlanProgressQueries } from './plan-progress.ts'
import { failPlanSteps, listPlanStepsBelow, planRunQueries, type PlanRunQueries } from './plan-runs.ts'
import { planQueries, type PlanQueries } from './plans.ts'
import type { PlanTables } from './tables.ts'

export const planStore: StoreSlice = {
  name: 'plan',
  migrations: 'src/extensions/plan/store/migrations',
  sharedThrough: 21,
  queries: [planFigureQueries, planNodeQueries, planProgressQueries, planRunQueries, planQueries],
  async sessionDeleted(tx, { scope, id, sessions }) {
    const steps = await listPlanStepsBelow(tx, scope, id)
    return async () => {
      await failPlanSteps(tx, steps)
      for (const sessionId of sessions) await giveNodesBack(tx, sessionId)
    }
  },
  // a session is not bound to a plan that is not here
  async sessionImported(tx, scope, { planId }) {
    const isHere = planId !== undefined && (await planQueries(tx).getPlan(scope, planId)) !== undefined
    return isHere ? {} : { planId: undefined }
  },
  runs: { kind: 'plan', source: planRunSource, stepSource: 'plan' },
  facets: planFacets,
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries
    extends PlanFigureQueries, PlanNodeQueries, PlanProgressQueries, PlanRunQueries, PlanQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends PlanTables {}
}
