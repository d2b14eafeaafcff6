import { sql } from 'kysely'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'

export interface Actor {
  type: 'user' | 'agent' | 'system'
  id: string
}

export interface AuditEntry {
  id: string
  actor: Actor
  action: string
  resourceType: string
  resourceId: string
  sessionId?: string
  result: 'success' | 'error' | 'denied'
  detail: Record<string, unknown>
  createdAt: number
}

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'createdAt' | 'result' | 'detail'> &
  Partial<Pick<AuditEntry, 'result' | 'detail'>>

export interface AuditQueries {
  /** Append-only, and meant for the transaction of the thing it records. */
  recordAudit(scope: string, entry: NewAuditEntry): Promise<void>
  /** Newest first. */
  listAudit(
    scope: string,
    filter: {
      sessionId?: string
      action?: string
      actorId?: string
      resourceType?: string
      /** A part of what it was about. */
      touching?: string
      result?: AuditEntry['result']
      /** Who answered an ask, or the hook that decided. */
      decidedBy?: string
      /** Not before this. */
      from?: number
      /** Before this. */
      to?: number
      limit: number
      cursor?: string
    },
  ): Promise<Page<AuditEntry>>
  /** In slices, so that others get to write in between. */
  deleteAuditBefore(time: number): Promise<void>
}

export function auditQueries(context: QueryContext): AuditQueries {
  const { db, clock, ids } = context
  return {
    async recordAudit(
      scope,
      { actor, action, resourceType, resourceId, sessionId, result = 'success', detail = {} },
    ) {
      await db
        .insertInto('audit')
        .values({
          id: ids.next('aud'),
          scope,
          actor_type: actor.type,
          actor_id: actor.id,
          action,
          resource_type: resourceType,
          resource_id: resourceId,
          session_id: sessionId ?? null,
          result,
          detail: JSON.stringify(detail),
          created_at: clock.now(),
        })
        .execute()
    },

    async listAudit(scope, filter) {
      const { sessionId, action, actorId, resourceType, touching, result, decidedBy } = filter
      const { from, to, limit, cursor } = filter
      const isIn = (column: 'detail' | 'resource_id', text: string) =>
        sql<boolean>`${sql.raw(context.backend.name === 'postgres' ? 'strpos' : 'instr')}(${sql.ref(column)}, ${text}) > 0`
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('scope', '=', scope)
        .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId!))
        .$if(action !== undefined, (query) => query.where('action', '=', action!))
        .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId!))
        .$if(resourceType !== undefined, (query) => query.where('resource_type', '=', resourceType!))
        .$if(touching !== undefined, (query) =>
          query.where((has) =>
            has.or([isIn('detail', quoted(touching!).slice(1, -1)), isIn('resource_id', touching!)]),
          ),
        )
        .$if(decidedBy !== undefined, (query) =>
          query.where((has) =>
            has.or(
              ['approvedBy', 'decidedBy'].map((key) => isIn('detail', `"${key}":${quoted(decidedBy!)}`)),
            ),
          ),
        )
        .$if(result !== undefined, (query) => query.where('result', '=', result!))
        .$if(from !== undefined, (query) => query.where('created_at', '>=', from!))
        .$if(to !== undefined, (query) => query.where('created_at', '<', to!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async deleteAuditBefore(time) {
      while ((await deleteOld(context, [time])).length === deletedAtOnce);
    },
  }
}

function fromRow(row: Tables['audit']): AuditEntry {
  return {
    id: row.id,
    actor: { type: row.actor_type as Actor['type'], id: row.actor_id },
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    sessionId: row.session_id ?? undefined,
    result: row.result,
    detail: JSON.parse(row.detail),
    createdAt: row.created_at,
  }
}

/** As it stands in the text of a detail. */
const quoted = (text: string) => JSON.stringify(text)

const deletedAtOnce = 5_000
const deleteOld = statement<{ id: string }>(`
  delete from audit where id in (
    select id from audit where created_at < ? order by created_at limit ${deletedAtOnce}
  ) returning id
`)
