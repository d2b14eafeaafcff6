import { conflict, invalidRequest, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type {
  PlanChanged,
  PlanVersion,
  PlanVersionListQuery,
  PlanVersionPage,
  UndoPlan,
} from './protocol/plan.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { NodeChange, PlanChange } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { idOf, type PlanCaller } from './change-plan.ts'
import { auditEdit, shownNodes, type EditDeps } from './edit-nodes.ts'
import { undoChange } from './undo-change.ts'

/** Without a version, of the newest change that stands and takes none back itself. */
export function undoPlan(
  store: StoreOperations,
  { clock }: EditDeps,
  caller: PlanCaller,
  planId: string,
  { version }: Omit<UndoPlan, 'scope'>,
): Promise<PlanChanged> {
  return store.transaction(async (tx) => {
    await tx.lockPlan(caller.scope, planId)
    const undone = version ?? (await findUndoable(tx, planId))
    await auditEdit(tx, caller, planId, { action: 'undo', undoes: undone })
    const { plan, answer } = await undoChange(tx, caller, planId, undone, clock.now())
    return { version: plan.version, nodeIds: answer.map(idOf) }
  })
}

const versionsAtOnce = 200

async function findUndoable(tx: StoreOperations, planId: string): Promise<number> {
  const undone = new Set<number>()
  for (let before: number | undefined; ;) {
    const found = await tx.listUndone(planId, { before, limit: versionsAtOnce })
    for (const { version, undoes } of found) {
      if (undone.has(version)) continue
      if (undoes === undefined) return version
      undone.add(undoes)
    }
    before = found.at(-1)?.version
    if (before === undefined) throw conflict('There is nothing to take back.')
  }
}

export async function listPlanVersions(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<PlanCaller, 'scope'>,
  planId: string,
  { limit, cursor }: Omit<PlanVersionListQuery, 'scope'>,
): Promise<PlanVersionPage> {
  await store.requirePlan(scope, planId)
  const pageSize = requireLimit(pages, limit)
  const found = await store.listPlanChanges(planId, { before: toVersion(cursor), limit: pageSize + 1 })
  const items = found.slice(0, pageSize).map(toPlanVersion)
  return { items, nextCursor: found.length > pageSize ? String(items.at(-1)!.version) : null }
}

const toVersion = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return undefined
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return Number(cursor)
}

const toPlanVersion = ({ changes, createdAt, sessionId, undoes, ...change }: PlanChange): PlanVersion => ({
  ...change,
  ...(sessionId !== undefined && { sessionId }),
  ...(undoes !== undefined && { undoes }),
  nodes: changes.slice(0, shownNodes).map(toChangedNode),
  createdAt: toTimestamp(createdAt),
})

function toChangedNode({ before, after }: NodeChange): PlanVersion['nodes'][number] {
  const { id, name } = (after ?? before)!
  return { id, name, change: !before ? 'added' : !after ? 'deleted' : 'changed' }
}
