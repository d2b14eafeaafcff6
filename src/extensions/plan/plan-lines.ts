import type { StoreOperations } from '../../core/store/store.ts'

/** The plans of a scope that were changed last, in lines, as models read them. */
export async function listPlanLines(
  store: StoreOperations,
  scope: string,
  limit: number,
): Promise<{ lines: string[]; hasMore: boolean }> {
  const { items, nextCursor } = await store.listPlans(scope, { limit })
  const counts = await store.countPlans(items.map(({ id }) => id))
  const lines = items.map(({ id, title }) => {
    const byStatus = counts.get(id)?.byStatus ?? {}
    const nodes = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
    return `- ${id} ${title} (tasks: ${nodes})`
  })
  return { lines, hasMore: nextCursor !== null }
}
