import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { scopeSchema } from '../../protocol/names.ts'
import {
  createThreadSchema,
  threadListQuerySchema,
  threadPageSchema,
  threadSchema,
  threadSlugSchema,
  updateThreadSchema,
} from '../../protocol/thread.ts'
import { createThread, deleteThread, getThread, listThreads, updateThread } from '../../room/threads.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['threads']
const params = z.object({ slug: threadSlugSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/threads',
  summary: 'Threads, what was changed last first; GET /api/sessions?thread= has what is in one',
  tags,
  request: { query: threadListQuerySchema },
  responses: { 200: json(threadPageSchema, 'A page of threads'), ...refusals },
})

const create = createRoute({
  method: 'post',
  path: '/api/threads',
  summary: 'Create a thread',
  tags,
  request: { query, body: jsonBody(createThreadSchema) },
  middleware: requireBody,
  responses: { 201: json(threadSchema, 'The thread'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/threads/{slug}',
  summary: 'A thread and how many sessions a list of it shows',
  tags,
  request: { params, query },
  responses: { 200: json(threadSchema, 'The thread'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/threads/{slug}',
  summary: 'Rename a thread, or archive it with a reason',
  tags,
  request: { params, query, body: jsonBody(updateThreadSchema) },
  middleware: requireBody,
  responses: { 200: json(threadSchema, 'The thread as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/threads/{slug}',
  summary: 'Delete an archived thread; its sessions stay, without a thread',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

export function threadRoutes(app: OpenAPIHono<AppEnv>, { store, clock, limits }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listThreads(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createThread(tx, caller, input)), 201)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getThread(store, caller, c.req.valid('param').slug), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { slug } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateThread(tx, clock, caller, slug, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { slug } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteThread(tx, caller, slug))
    return c.body(null, 204)
  })
}
