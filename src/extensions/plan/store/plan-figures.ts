import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { PlanStepRow } from './tables.ts'

/** What one node used in all its tries; a cost is missing where its model has no price. */
export interface NodeSpending {
  tokens: number
  cost?: number
}

export interface PlanFigureQueries {
  /** Of the nodes of a plan, or of all plans of a scope, that were completed last. */
  listNodeSpending(scope: string, planId: string | undefined, limit: number): Promise<NodeSpending[]>
  /** How many children nodes have; those without are missing. */
  countChildNodes(planId: string, ids: readonly number[]): Promise<Map<number, number>>
}

export function planFigureQueries(context: QueryContext): PlanFigureQueries {
  const { db } = context
  return {
    async listNodeSpending(scope, planId, limit) {
      const rows =
        planId === undefined
          ? await selectOfScope(context, [scope, limit])
          : await selectOfPlan(context, [planId, scope, limit])
      return rows.flatMap(({ details }) => toSpending(details) ?? [])
    },

    async countChildNodes(planId, ids) {
      const found = new Map<number, number>()
      for (let start = 0; start < ids.length; start += slice) {
        const rows = await db
          .selectFrom('plan_nodes')
          .select(({ fn }) => ['parent_id', fn.countAll<number>().as('count')])
          .where('plan_id', '=', planId)
          .where('parent_id', 'in', ids.slice(start, start + slice))
          .groupBy('parent_id')
          .execute()
        for (const { parent_id: id, count } of rows) found.set(id, Number(count))
      }
      return found
    },
  }
}

// a database takes so many values in one statement
const slice = 500

function toSpending(details: string): NodeSpending | undefined {
  const { tokens, cost } = JSON.parse(details) as {
    tokens?: { input: number; output: number }
    cost?: number
  }
  return tokens && { tokens: tokens.input + tokens.output, ...(cost !== undefined && { cost }) }
}

const selectWhere = (condition: string) =>
  statement<Pick<PlanStepRow, 'details'>>(`
  select steps.details from plan_runs as listed join plan_steps as steps on steps.run_id = listed.run_id
  where ${condition} and listed.type = 'execute' and steps.type = 'node' and steps.status = 'completed'
  order by listed.created_at desc, listed.run_id desc, steps.number desc limit ?
`)
const selectOfPlan = selectWhere('listed.plan_id = ? and listed.scope = ?')
const selectOfScope = selectWhere('listed.scope = ?')
