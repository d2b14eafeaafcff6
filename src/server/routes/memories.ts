import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
  restoreMemory,
  updateMemory,
} from '../../memory/memories.ts'
import {
  createMemorySchema,
  memoryListQuerySchema,
  memoryPageSchema,
  memorySchema,
  updateMemorySchema,
} from '../../protocol/memory.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['memories']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const restoreSchema = query.meta({ id: 'RestoreMemory' })

const list = createRoute({
  method: 'get',
  path: '/api/memories',
  summary: 'What is remembered, newest first; with q the best match first',
  tags,
  request: { query: memoryListQuerySchema },
  responses: { 200: json(memoryPageSchema, 'A page of memories'), ...refusals },
})

const create = createRoute({
  method: 'post',
  path: '/api/memories',
  summary: 'Remember something',
  tags,
  request: { query, body: jsonBody(createMemorySchema) },
  middleware: requireBody,
  responses: { 201: json(memorySchema, 'The memory'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/memories/{id}',
  summary: 'A memory, and where it comes from',
  tags,
  request: { params, query },
  responses: { 200: json(memorySchema, 'The memory'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/memories/{id}',
  summary: 'Put a memory right; no model changes it after that',
  tags,
  request: { params, query, body: jsonBody(updateMemorySchema) },
  middleware: requireBody,
  responses: { 200: json(memorySchema, 'The memory as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/memories/{id}',
  summary: 'Delete a memory; the same is not learned again',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Deleted' }, ...conflicts },
})

const restore = createRoute({
  method: 'post',
  path: '/api/memories/{id}/restore',
  summary: 'Undo the deletion of a memory, or its last change',
  tags,
  request: { params, query, body: optionalJsonBody(restoreSchema) },
  middleware: optionalBody,
  responses: { 200: json(memorySchema, 'The memory as it is now'), ...conflicts },
})

export function memoryRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, limits, memoryVectors: vectors }: ServerDeps,
): void {
  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listMemories(store, { pages: limits, vectors }, callerIn(c, scope), filter), 200)
  })

  app.openapi(create, async (c) => {
    const { scope, ...memory } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createMemory(tx, caller, memory)), 201)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getMemory(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...change } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateMemory(tx, caller, id, change)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteMemory(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(restore, async (c) => {
    const given = c.req.valid('json').scope
    const caller = callerIn(c, given ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => restoreMemory(tx, caller, id)), 200)
  })
}
