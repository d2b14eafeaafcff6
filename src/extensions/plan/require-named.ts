import { invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { StoreOperations } from '../../core/store/store.ts'

const taskFields = [
  'task_id',
  'logical_id',
  'parent_id',
  'new_parent_id',
  'anchor_task_id',
  'insert_before',
  'insert_after',
]

/** Refuses the parameters of an action that name another plan, or a task that the plan does not have. */
export async function requireNamed(
  store: StoreOperations,
  planId: string,
  parameters: unknown,
): Promise<void> {
  if (!isObject(parameters)) return
  const { plan_id: named = planId, dependencies = [] } = parameters
  if (named !== planId)
    throw invalidRequest(`"plan_id": the plan is ${quote(planId)}; ${quote(named)} is another one.`)
  const ids = [...taskFields.map((field) => parameters[field]), ...(dependencies as unknown[])].filter(
    (id): id is number => typeof id === 'number' && id !== 0,
  )
  const known = await store.getNodes(planId, ids)
  const missing = ids.find((id) => !known.has(id))
  if (missing !== undefined) throw notFound('task', String(missing))
}
