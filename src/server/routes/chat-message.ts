import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  openConversation,
  toChatActions,
  toChatMessageAnswer,
  toInput,
} from '../../extensions/plan/chat-message.ts'
import { requirePlanRun } from '../../extensions/plan/runs.ts'
import {
  chatActionsSchema,
  chatMessageAnswerSchema,
  chatMessageSchema,
} from '../../core/protocol/chat-message.ts'
import { idSchema, scopeSchema } from '../../core/protocol/names.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['plans']
const query = z.strictObject({ scope: scopeSchema.optional() })

const send = createRoute({
  method: 'post',
  path: '/chat/message',
  summary: 'Say something in a session about a plan; for clients of the earlier interface',
  tags,
  request: { query, body: jsonBody(chatMessageSchema) },
  middleware: requireBody,
  responses: { 200: json(chatMessageAnswerSchema, 'The answer; its actions go on'), ...conflicts },
})

const actions = createRoute({
  method: 'get',
  path: '/chat/actions/{id}',
  summary: 'What became of the actions of an answer',
  tags,
  request: { params: z.object({ id: idSchema }), query },
  responses: { 200: json(chatActionsSchema, 'The actions'), ...refusals },
})

export function chatMessageRoutes(app: OpenAPIHono<AppEnv>, { store, chats, ids }: ServerDeps): void {
  app.openapi(send, async (c) => {
    const body = c.req.valid('json')
    const caller = callerIn(c, body.scope ?? c.req.valid('query').scope)
    const input = toInput(body, ids)
    let begin = () => {}
    const { runId, sessionId } = await once(c, store, caller, async (tx) => {
      const session = await openConversation(tx, caller, body)
      const admitted = await chats.admit(tx, { scope: caller.scope, sessionId: session.id }, input)
      begin = admitted.begin
      return { runId: admitted.run.id, sessionId: session.id }
    })
    begin()
    const run = { scope: caller.scope, sessionId, id: runId }
    const answer = await chats.answerOf(run, c.req.raw.signal)
    const session = await store.requireSession(caller.scope, sessionId)
    return c.json(await toChatMessageAnswer(store, session, answer), 200)
  })

  app.openapi(actions, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    return c.json(toChatActions(await requirePlanRun(store, scope, c.req.valid('param').id)), 200)
  })
}
