import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  appendMessageSchema,
  messageListQuerySchema,
  messagePageSchema,
  messageSchema,
} from '../../protocol/message.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { appendMessage } from '../../sessions/append.ts'
import { listMessages } from '../../sessions/list.ts'
import { callerIn } from '../auth.ts'
import { takesLarge } from '../body-class.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['messages']
const params = z.object({ id: idSchema })

const list = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/messages',
  summary: 'Read the log, newest page by default',
  tags,
  request: { params, query: messageListQuerySchema },
  responses: { 200: json(messagePageSchema, 'A page of messages, oldest first'), ...refusals },
})

const append = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/messages',
  ...takesLarge,
  summary: 'Add a message to the log without a turn',
  tags,
  request: {
    params,
    query: z.strictObject({ scope: scopeSchema.optional() }),
    body: jsonBody(appendMessageSchema),
  },
  middleware: requireBody,
  responses: { 201: json(messageSchema, 'The stored message'), ...conflicts },
})

export function messageRoutes(app: OpenAPIHono<AppEnv>, { store, limits }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, ...range } = c.req.valid('query')
    return c.json(await listMessages(store, limits, callerIn(c, scope), c.req.valid('param').id, range), 200)
  })

  app.openapi(append, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => appendMessage(tx, caller, id, input)), 201)
  })
}
