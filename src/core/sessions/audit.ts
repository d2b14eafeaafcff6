import type { AuditPage, AuditQuery } from '../protocol/audit.ts'
import { fromTimestamp, toTimestamp } from '../protocol/names.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { requireLimit, type PageLimits } from './list.ts'

/** Newest first; what was done to sessions that are gone is among it. */
export async function listAudit(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  { session, action, actor, resource, touching, result, decidedBy, from, to, limit, cursor }: AuditQuery,
): Promise<AuditPage> {
  const filter = {
    sessionId: session,
    action,
    actorId: actor,
    resourceType: resource,
    touching,
    result,
    decidedBy,
    from: from === undefined ? undefined : fromTimestamp(from),
    to: to === undefined ? undefined : fromTimestamp(to),
    limit: requireLimit(limits, limit),
    cursor,
  }
  const { items, nextCursor } = await store.listAudit(scope, filter)
  return {
    items: items.map((entry) => ({ ...entry, createdAt: toTimestamp(entry.createdAt) })),
    nextCursor,
  }
}
