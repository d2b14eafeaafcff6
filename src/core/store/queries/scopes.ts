import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import { deletedScope } from './deleted-sessions.ts'

export interface Scope {
  name: string
  root: string | undefined
}

export interface ScopeQueries {
  /** Makes the scope on its first use; a root that is given replaces the stored one. */
  ensureScope(name: string, root?: string): Promise<void>
  getScope(name: string): Promise<Scope | undefined>
  listScopes(): Promise<Scope[]>
}

export function scopeQueries(context: QueryContext): ScopeQueries {
  const { db, clock } = context
  return {
    async ensureScope(name, root) {
      await db
        .insertInto('scopes')
        .values({ name, root: root ?? null, event_seq: 0, created_at: clock.now() })
        .onConflict((oc) => (root === undefined ? oc.doNothing() : oc.column('name').doUpdateSet({ root })))
        .execute()
    },
    async getScope(name) {
      const [row] = await selectOne(context, [name])
      return row && { name: row.name, root: row.root ?? undefined }
    },
    async listScopes() {
      const rows = await db
        .selectFrom('scopes')
        .selectAll()
        .where('name', '<>', deletedScope)
        .orderBy('name')
        .execute()
      return rows.map(({ name, root }) => ({ name, root: root ?? undefined }))
    },
  }
}

const selectOne = statement<{ name: string; root: string | null }>(
  `select name, root from scopes where name = ?`,
)
