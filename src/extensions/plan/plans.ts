import { conflict } from '../../core/protocol/error.ts'
import type { CreatePlan, Plan, PlanListQuery, PlanPage, UpdatePlan } from './protocol/plan.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { type PlanCaller, mergeMetadata } from './change-plan.ts'
import { importMarkdown } from './export-import-markdown.ts'
import { toPlans } from './plan-record.ts'

export function createPlan(
  store: StoreOperations,
  deps: { clock: Clock },
  caller: PlanCaller,
  { title, description = '', metadata = {}, markdown = '' }: Omit<CreatePlan, 'scope'>,
): Promise<Plan> {
  return store.transaction(async (tx) => {
    const { scope } = caller
    await tx.ensureScope(scope)
    const made = await tx.createPlan({ scope, title, description, metadata: mergeMetadata({}, metadata) })
    if (markdown.trim() !== '') await importMarkdown(tx, deps, caller, made.id, { markdown })
    const plan = await getPlan(tx, caller, made.id)
    await record(tx, caller, 'create', plan)
    return plan
  })
}

export async function getPlan(
  store: StoreOperations,
  { scope }: Pick<PlanCaller, 'scope'>,
  id: string,
): Promise<Plan> {
  return toOne(store, await store.requirePlan(scope, id))
}

export async function listPlans(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<PlanCaller, 'scope'>,
  { q, limit, cursor }: Omit<PlanListQuery, 'scope'>,
): Promise<PlanPage> {
  const page = await store.listPlans(scope, { q, limit: requireLimit(pages, limit), cursor })
  return { ...page, items: await toPlans(store, page.items) }
}

/** The tree and its version stay as they are. */
export function updatePlan(
  store: StoreOperations,
  caller: PlanCaller,
  id: string,
  { title, description, metadata = {} }: Omit<UpdatePlan, 'scope'>,
): Promise<Plan> {
  return store.transaction(async (tx) => {
    const before = await tx.lockPlan(caller.scope, id)
    const patch = {
      title: title ?? before.title,
      description: description ?? before.description,
      metadata: mergeMetadata(before.metadata, metadata),
    }
    const plan = await toOne(tx, await tx.updatePlan(before, patch))
    await record(tx, caller, 'update', plan)
    return plan
  })
}

export function deletePlan(store: StoreOperations, caller: PlanCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const plan = await tx.lockPlan(caller.scope, id)
    const [run] = await tx.listOpenPlanRuns(id)
    if (run)
      throw conflict(`The run ${run.runId} works on the plan; cancel it, or wait until it is over.`, run)
    await removePlan(tx, caller, plan)
  })
}

/** The caller has locked the plan and knows that no run is active; sessions that were bound to it are released. */
export async function removePlan(tx: StoreOperations, caller: PlanCaller, plan: PlanRecord): Promise<void> {
  const { scope } = caller
  await unbindSessions(tx, scope, plan.id)
  await tx.deletePlan(scope, plan.id)
  await record(tx, caller, 'delete', plan)
}

async function unbindSessions(tx: StoreOperations, scope: string, planId: string): Promise<void> {
  const bound = await tx.listSessionsOfPlan(scope, planId)
  // one that has lost its plan is still about plans
  for (const sessionId of bound) await tx.updateSession(scope, sessionId, { planId: null, mode: 'plan' })
  for (const sessionId of bound)
    await tx.recordEvent(scope, { type: 'session-updated', sessionId, data: { fields: ['planId'] } })
}

/** The event last: others wait for the row of the scope. It names the session of a model that did it. */
async function record(
  tx: StoreOperations,
  { scope, actor, sessionId }: PlanCaller,
  action: 'create' | 'update' | 'delete',
  { id, title, version }: Pick<PlanRecord, 'id' | 'title' | 'version'>,
): Promise<void> {
  await auditPlan(tx, { scope, actor, sessionId }, action, { id, title, version })
  await tx.recordEvent(scope, {
    type: `plan-${action}d`,
    sessionId,
    data: { planId: id, title, version },
  })
}

export const auditPlan = (
  tx: StoreOperations,
  { scope, actor, sessionId }: PlanCaller,
  action: 'create' | 'update' | 'delete',
  { id, title, version }: Pick<PlanRecord, 'id' | 'title' | 'version'>,
): Promise<void> =>
  tx.recordAudit(scope, {
    actor,
    action,
    resourceType: 'plan',
    resourceId: id,
    sessionId,
    detail: { title, version },
  })

const toOne = async (store: StoreOperations, plan: PlanRecord): Promise<Plan> =>
  (await toPlans(store, [plan]))[0]!
