import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { knowledgeFacets } from '../facets.ts'
import { knowledgePartQueries, type KnowledgePartQueries } from './knowledge-parts.ts'
import { knowledgeSearchQueries, type KnowledgeSearchQueries } from './knowledge-search.ts'
import { knowledgeSourceQueries, type KnowledgeSourceQueries } from './knowledge-sources.ts'
import { knowledgeTripleQueries, type KnowledgeTripleQueries } from './knowledge-triples.ts'
import type { KnowledgeTables } from './tables.ts'

export const knowledgeStore: StoreSlice = {
  name: 'knowledge',
  facets: knowledgeFacets,
  migrations: 'src/extensions/knowledge/store/migrations',
  sharedThrough: 16,
  queries: [knowledgePartQueries, knowledgeSearchQueries, knowledgeSourceQueries, knowledgeTripleQueries],
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries
    extends KnowledgePartQueries, KnowledgeSearchQueries, KnowledgeSourceQueries, KnowledgeTripleQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends KnowledgeTables {}
}
