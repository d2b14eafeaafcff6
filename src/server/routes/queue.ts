import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  editQueued,
  listQueue,
  removeQueued,
  reorderQueue,
  steerQueued,
  toQueuePage,
} from '../../chat/queue.ts'
import { runSchema } from '../../protocol/chat.ts'
import { inboxPageSchema } from '../../protocol/inbox.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  editQueuedSchema,
  queuePageSchema,
  reorderQueueSchema,
  steeredInputSchema,
} from '../../protocol/queue.ts'
import { toRunRecord } from '../../runs/run-record.ts'
import { listInbox } from '../../sessions/inbox.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['queue']
const params = z.object({ id: idSchema })
const itemParams = params.extend({ runId: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const steerSchema = query.meta({ id: 'SteerQueued' })

const inbox = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/inbox',
  summary: 'What was delivered and waits for the next turn: results of tasks, and words for a running turn',
  tags,
  request: { params, query },
  responses: { 200: json(inboxPageSchema, 'Oldest first'), ...refusals },
})

const list = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/queue',
  summary: 'Inputs that wait for their turn, in order',
  tags,
  request: { params, query },
  responses: { 200: json(queuePageSchema, 'What waits'), ...refusals },
})

const reorder = createRoute({
  method: 'put',
  path: '/api/sessions/{id}/queue',
  summary: 'Put the inputs that wait into another order; 409 with the present one unless all are named',
  tags,
  request: { params, query, body: jsonBody(reorderQueueSchema) },
  middleware: requireBody,
  responses: { 200: json(queuePageSchema, 'What waits, in its new order'), ...conflicts },
})

const edit = createRoute({
  method: 'patch',
  path: '/api/sessions/{id}/queue/{runId}',
  summary: 'Change the text of an input that waits',
  tags,
  request: { params: itemParams, query, body: jsonBody(editQueuedSchema) },
  middleware: requireBody,
  responses: { 200: json(runSchema, 'The input as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/sessions/{id}/queue/{runId}',
  summary: 'Take an input that waits back',
  tags,
  request: { params: itemParams, query },
  responses: { 204: { description: 'Taken back' }, ...conflicts },
})

const steer = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/queue/{runId}/steer',
  summary: 'Hand an input that waits into the turn that goes on; where none does, it becomes the next',
  tags,
  request: { params: itemParams, query, body: optionalJsonBody(steerSchema) },
  middleware: optionalBody,
  responses: { 200: json(steeredInputSchema, 'Where the input went'), ...conflicts },
})

export function queueRoutes(app: OpenAPIHono<AppEnv>, { store }: ServerDeps): void {
  app.openapi(inbox, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await listInbox(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(list, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    const queue = await listQueue(store, { scope, sessionId: c.req.valid('param').id })
    return c.json(toQueuePage(queue), 200)
  })

  app.openapi(reorder, async (c) => {
    const { runIds, scope } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const place = { scope: caller.scope, sessionId: c.req.valid('param').id }
    const page = await once(c, store, caller, async (tx) =>
      toQueuePage(await reorderQueue(tx, place, runIds)),
    )
    return c.json(page, 200)
  })

  app.openapi(edit, async (c) => {
    const { content, scope } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, runId } = c.req.valid('param')
    const place = { scope: caller.scope, sessionId: id, keyName: caller.keyName }
    const edited = await once(c, store, caller, async (tx) =>
      toRunRecord(await editQueued(tx, place, runId, content)),
    )
    return c.json(edited, 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id, runId } = c.req.valid('param')
    await once(c, store, caller, (tx) => removeQueued(tx, { scope: caller.scope, sessionId: id }, runId))
    return c.body(null, 204)
  })

  app.openapi(steer, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id, runId } = c.req.valid('param')
    const place = { scope: caller.scope, sessionId: id }
    return c.json(await once(c, store, caller, (tx) => steerQueued(tx, place, runId)), 200)
  })
}
