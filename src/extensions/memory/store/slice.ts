import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { memoryFacets } from '../facets.ts'
import { documentMemoryQueries, type DocumentMemoryQueries } from './document-memories.ts'
import { memoryQueries, type MemoryQueries } from './memories.ts'
import { memoryTurnQueries, type MemoryTurnQueries } from './memory-turns.ts'
import type { MemoryTables } from './tables.ts'

export const memoryStore: StoreSlice = {
  name: 'memory',
  facets: memoryFacets,
  migrations: 'src/extensions/memory/store/migrations',
  sharedThrough: 12,
  queries: [documentMemoryQueries, memoryQueries, memoryTurnQueries],
  sessionRows: { memories: 'session_id', memory_uses: 'session_id', memory_cursors: 'session_id' },
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends DocumentMemoryQueries, MemoryQueries, MemoryTurnQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends MemoryTables {}
}
