import { z } from 'zod'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import { conflicts, json, jsonBody, refusals } from '../../core/http/responses.ts'
import { idSchema, inScopeSchema } from '../../core/protocol/names.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Store } from '../../core/store/store.ts'
import { openConversation, toChatActions, toChatMessageAnswer, toInput } from './chat-message.ts'
import { chatActionsSchema, chatMessageAnswerSchema, chatMessageSchema } from './protocol/chat-message.ts'
import { requirePlanRun } from './runs.ts'

const tags = ['plans']
const query = inScopeSchema

const send = defineRoute({
  method: 'post',
  path: '/chat/message',
  summary: 'Send a message in a session about a plan; for clients of the earlier interface',
  tags,
  request: { query, body: jsonBody(chatMessageSchema) },
  middleware: requireBody,
  responses: { 200: json(chatMessageAnswerSchema, 'The answer; its actions continue'), ...conflicts },
})

const actions = defineRoute({
  method: 'get',
  path: '/chat/actions/{id}',
  summary: 'Get the outcome of the actions of an answer',
  tags,
  request: { params: z.object({ id: idSchema }), query },
  responses: { 200: json(chatActionsSchema, 'The actions'), ...refusals },
})

export interface ChatMessageDeps {
  store: Store
  chats: ChatRuns
  ids: Ids
}

export function chatMessageRoutes({ store, chats, ids }: ChatMessageDeps): RouteContribution {
  return {
    name: 'plan',
    register(host) {
      host.add(send, async (c, caller) => {
        const body = c.req.valid('json')
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

      host.add(actions, async (c, { scope }) =>
        c.json(toChatActions(await requirePlanRun(store, scope, c.req.valid('param').id)), 200),
      )
    },
  }
}
