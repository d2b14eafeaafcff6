import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { extractDocuments } from '../../knowledge/extract.ts'
import { importTriples } from '../../knowledge/import.ts'
import { queryKnowledge } from '../../knowledge/query.ts'
import { forgetSource, listEntities, listSources, readStats } from '../../knowledge/sources.ts'
import {
  entityListQuerySchema,
  entityPageSchema,
  extractKnowledgeSchema,
  importKnowledgeSchema,
  knowledgeAnswerSchema,
  knowledgeExtractionSchema,
  knowledgeImportedSchema,
  knowledgeQuerySchema,
  knowledgeSourceListQuerySchema,
  knowledgeSourcePageSchema,
  knowledgeStatsSchema,
  sourceParam,
} from '../../protocol/knowledge.ts'
import { scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import { takesLarge } from '../body-class.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['knowledge']
const query = z.strictObject({ scope: scopeSchema.optional() })

const stats = createRoute({
  method: 'get',
  path: '/api/knowledge',
  summary: 'How much is known, and how reading documents goes',
  tags,
  request: { query },
  responses: { 200: json(knowledgeStatsSchema, 'Counts'), ...refusals },
})

const ask = createRoute({
  method: 'post',
  path: '/api/knowledge/query',
  summary: 'What is known that has to do with a question; changes nothing',
  tags,
  request: { query, body: jsonBody(knowledgeQuerySchema) },
  middleware: requireBody,
  responses: { 200: json(knowledgeAnswerSchema, 'Triples with their sources'), ...conflicts },
})

const take = createRoute({
  method: 'post',
  path: '/api/knowledge/import',
  ...takesLarge,
  summary: 'Add triples of a source, or replace all that it said',
  tags,
  request: { query, body: jsonBody(importKnowledgeSchema) },
  middleware: requireBody,
  responses: { 200: json(knowledgeImportedSchema, 'The source as it is now'), ...conflicts },
})

const extract = createRoute({
  method: 'post',
  path: '/api/knowledge/extract',
  summary: 'Have documents read by background sessions: those that are named, or all that were changed',
  tags,
  request: { query, body: optionalJsonBody(extractKnowledgeSchema) },
  middleware: optionalBody,
  responses: { 202: json(knowledgeExtractionSchema, 'What is read, or waits for it'), ...conflicts },
})

const list = createRoute({
  method: 'get',
  path: '/api/knowledge/sources',
  summary: 'Documents and imports that knowledge comes from, what was changed last first',
  tags,
  request: { query: knowledgeSourceListQuerySchema },
  responses: { 200: json(knowledgeSourcePageSchema, 'A page of sources'), ...refusals },
})

const forget = createRoute({
  method: 'delete',
  path: '/api/knowledge/sources/{name}',
  summary: 'Forget all that a source said; the document itself stays',
  tags,
  request: { params: sourceParam, query },
  responses: { 204: { description: 'Forgotten' }, ...conflicts },
})

const entities = createRoute({
  method: 'get',
  path: '/api/knowledge/entities',
  summary: 'Things that are known, by their names',
  tags,
  request: { query: entityListQuerySchema },
  responses: { 200: json(entityPageSchema, 'A page of entities'), ...refusals },
})

export function knowledgeRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, knowledgeDeps: deps, limits }: ServerDeps,
): void {
  app.openapi(stats, async (c) =>
    c.json(await readStats(store, callerIn(c, c.req.valid('query').scope)), 200),
  )

  app.openapi(ask, async (c) => {
    // nothing is stored that a second one could find; a wrong key is refused all the same
    readKey(c)
    const { scope, ...question } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await queryKnowledge(deps, caller, question), 200)
  })

  app.openapi(take, async (c) => {
    const { scope, ...given } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => importTriples(tx, caller, given)), 200)
  })

  app.openapi(extract, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => extractDocuments(deps, tx, caller, wish)), 202)
  })

  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listSources(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(forget, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { name } = c.req.valid('param')
    await once(c, store, caller, (tx) => forgetSource(tx, caller, name))
    return c.body(null, 204)
  })

  app.openapi(entities, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listEntities(store, limits, callerIn(c, scope), filter), 200)
  })
}
