import {
  entityListQuerySchema,
  extractKnowledgeSchema,
  importKnowledgeSchema,
  knowledgeQuerySchema,
  knowledgeSourceListQuerySchema,
  sourceParam,
  type Knowledge,
} from '../protocol/knowledge.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { KnowledgeDeps } from './deps.ts'
import { extractDocuments } from './extract.ts'
import { importTriples } from './import.ts'
import { queryKnowledge } from './query.ts'
import { forgetSource, listEntities, listSources, readStats } from './sources.ts'

/** The knowledge of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createKnowledge(deps: KnowledgeDeps, pages: PageLimits): Knowledge {
  const { store } = deps
  return {
    stats: async (options) => readStats(store, callerIn(options)),
    async query(query) {
      const { scope, ...question } = check(knowledgeQuerySchema, query)
      return queryKnowledge(deps, callerIn({ scope }), question)
    },
    async import(input) {
      const { scope, ...given } = check(importKnowledgeSchema, input)
      return importTriples(store, callerIn({ scope }), given)
    },
    async extract(input = {}) {
      const { scope, ...wish } = check(extractKnowledgeSchema, input)
      return extractDocuments(deps, store, callerIn({ scope }), wish)
    },
    async sources(query = {}) {
      const { scope, ...filter } = check(knowledgeSourceListQuerySchema, query)
      return listSources(store, pages, callerIn({ scope }), filter)
    },
    forget: async (name, options) =>
      forgetSource(store, callerIn(options), check(sourceParam, { name }).name),
    async entities(query = {}) {
      const { scope, ...filter } = check(entityListQuerySchema, query)
      return listEntities(store, pages, callerIn({ scope }), filter)
    },
  }
}
