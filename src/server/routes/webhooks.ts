import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  createWebhookSchema,
  deliveryListQuerySchema,
  updateWebhookSchema,
  webhookDeliveryPageSchema,
  webhookDeliverySchema,
  webhookListQuerySchema,
  webhookPageSchema,
  webhookSchema,
} from '../../protocol/webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  retryDelivery,
  sendTest,
  updateWebhook,
} from '../../webhook/webhooks.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['webhooks']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = z.strictObject({ scope: scopeSchema.optional() })

const create = createRoute({
  method: 'post',
  path: '/api/webhooks',
  summary: 'Create a webhook: a URL that is called, signed and retried, when something happens',
  tags,
  request: { query, body: jsonBody(createWebhookSchema) },
  middleware: requireBody,
  responses: {
    201: json(webhookSchema, 'The webhook with its secret, which is not shown again'),
    ...conflicts,
  },
})

const list = createRoute({
  method: 'get',
  path: '/api/webhooks',
  summary: 'List webhooks, newest first',
  tags,
  request: { query: webhookListQuerySchema },
  responses: { 200: json(webhookPageSchema, 'A page of webhooks'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/webhooks/{id}',
  summary: 'Get a webhook',
  tags,
  request: { params, query },
  responses: { 200: json(webhookSchema, 'The webhook, without its secret'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/webhooks/{id}',
  summary: 'Change a webhook, pause it, or resume it',
  tags,
  request: { params, query, body: jsonBody(updateWebhookSchema) },
  middleware: requireBody,
  responses: { 200: json(webhookSchema, 'The webhook as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/webhooks/{id}',
  summary: 'Delete a webhook with its deliveries; those that were waiting are not sent',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Deleted' }, ...conflicts },
})

const test = createRoute({
  method: 'post',
  path: '/api/webhooks/{id}/test',
  summary: 'Send an event of the type webhook-test',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 201: json(webhookDeliverySchema, 'The delivery, which is sent next'), ...conflicts },
})

const deliveries = createRoute({
  method: 'get',
  path: '/api/webhooks/{id}/deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  tags,
  request: { params, query: deliveryListQuerySchema },
  responses: { 200: json(webhookDeliveryPageSchema, 'A page of deliveries'), ...refusals },
})

const retry = createRoute({
  method: 'post',
  path: '/api/webhooks/{id}/deliveries/{deliveryId}/retry',
  summary: 'Send a delivery again that was delivered or given up',
  tags,
  request: {
    params: params.extend({ deliveryId: idSchema }),
    query,
    body: optionalJsonBody(actionSchema),
  },
  middleware: optionalBody,
  responses: { 200: json(webhookDeliverySchema, 'The delivery, which is sent next'), ...conflicts },
})

export function webhookRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, limits, webhookDeps: deps }: ServerDeps,
): void {
  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createWebhook(tx, deps, caller, input)), 201)
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    return c.json(await listWebhooks(store, limits, callerIn(c, filter.scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getWebhook(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const patch = c.req.valid('json')
    const caller = callerIn(c, patch.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateWebhook(tx, deps, caller, id, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteWebhook(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(test, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => sendTest(tx, deps, caller, id)), 201)
  })

  app.openapi(deliveries, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    const { id } = c.req.valid('param')
    return c.json(await listDeliveries(store, limits, callerIn(c, scope), id, filter), 200)
  })

  app.openapi(retry, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id, deliveryId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => retryDelivery(tx, caller, id, deliveryId)), 200)
  })
}
