import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  createEventHookSchema,
  eventHookListQuerySchema,
  eventHookPageSchema,
  eventHookSchema,
  updateEventHookSchema,
} from '../../protocol/event-hook.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  createEventHook,
  deleteEventHook,
  getEventHook,
  listEventHooks,
  updateEventHook,
} from '../../schedule/event-hooks.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['event hooks']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const create = createRoute({
  method: 'post',
  path: '/api/event-hooks',
  summary: 'Create an event hook: a prompt that starts a background session when something happens',
  tags,
  request: { query, body: jsonBody(createEventHookSchema) },
  middleware: requireBody,
  responses: { 201: json(eventHookSchema, 'The event hook'), ...conflicts },
})

const list = createRoute({
  method: 'get',
  path: '/api/event-hooks',
  summary: 'List event hooks, newest first',
  tags,
  request: { query: eventHookListQuerySchema },
  responses: { 200: json(eventHookPageSchema, 'A page of event hooks'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/event-hooks/{id}',
  summary: 'Get an event hook',
  tags,
  request: { params, query },
  responses: { 200: json(eventHookSchema, 'The event hook'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/event-hooks/{id}',
  summary: 'Change an event hook, pause it, or make it active again',
  tags,
  request: { params, query, body: jsonBody(updateEventHookSchema) },
  middleware: requireBody,
  responses: { 200: json(eventHookSchema, 'The event hook as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/event-hooks/{id}',
  summary: 'Delete an event hook; the sessions that it started stay',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Deleted' }, ...conflicts },
})

export function eventHookRoutes(app: OpenAPIHono<AppEnv>, { store, schedule, limits }: ServerDeps): void {
  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createEventHook(schedule, tx, caller, input)), 201)
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    return c.json(await listEventHooks(store, limits, callerIn(c, filter.scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getEventHook(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const patch = c.req.valid('json')
    const caller = callerIn(c, patch.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateEventHook(schedule, tx, caller, id, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteEventHook(tx, caller, id))
    return c.body(null, 204)
  })
}
