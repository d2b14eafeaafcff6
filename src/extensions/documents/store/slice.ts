import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { documentFacets } from '../facets.ts'
import { documentQueries, type DocumentQueries } from './documents.ts'
import { lockQueries, type LockQueries } from './locks.ts'
import { scopeContentQueries, type ScopeContentQueries } from './scope-contents.ts'
import { todoQueries, type TodoQueries } from './todos.ts'
import type { DocumentTables } from './tables.ts'

export const documentsStore: StoreSlice = {
  name: 'documents',
  facets: documentFacets,
  migrations: 'src/extensions/documents/store/migrations',
  sharedThrough: 13,
  queries: [documentQueries, lockQueries, scopeContentQueries, todoQueries],
  isInScope: `exists (select 1 from documents where scope = sessions.scope and deleted_at is null)
    or exists (select 1 from todo_lists where scope = sessions.scope)`,
  sessionRows: { lock_holds: 'session_id' },
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends DocumentQueries, LockQueries, ScopeContentQueries, TodoQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends DocumentTables {}
}
