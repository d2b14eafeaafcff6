import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { scopeSchema } from '../../core/protocol/names.ts'
import { roomChatAnswerSchema, roomChatSchema } from './protocol/room.ts'
import { toRoomChatAnswer } from './chat-answer.ts'
import { openRoomChat, toRoomInput } from './chat-message.ts'
import { callerIn } from '../../server/auth.ts'
import { requireBody } from '../../server/body.ts'
import type { AppEnv, ServerDeps } from '../../server/environment.ts'
import { once } from '../../server/idempotency.ts'
import { conflicts, json, jsonBody } from '../../server/routes/responses.ts'

const send = createRoute({
  method: 'post',
  path: '/api/chat',
  summary: 'Say something in a room, and wait for what all answer; for clients of the earlier interface',
  tags: ['rooms'],
  request: { query: z.strictObject({ scope: scopeSchema.optional() }), body: jsonBody(roomChatSchema) },
  middleware: requireBody,
  responses: { 200: json(roomChatAnswerSchema, 'What was said, and the answers'), ...conflicts },
})

export function roomChatRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, chats, ids, services: { rooms: roomDeps, agents: agentDeps } }: ServerDeps,
): void {
  app.openapi(send, async (c) => {
    const body = c.req.valid('json')
    const caller = callerIn(c, body.scope ?? c.req.valid('query').scope)
    const input = toRoomInput(body, ids)
    let begin = () => {}
    const { runId, sessionId, messageId } = await once(c, store, caller, (given) =>
      // a room that its first message does not reach is not made
      given.transaction(async (tx) => {
        const session = await openRoomChat(tx, { roomDeps, agentDeps }, caller, body)
        const place = { scope: caller.scope, sessionId: session.id, keyName: caller.keyName }
        const admitted = await chats.admit(tx, place, input)
        begin = admitted.begin
        return { runId: admitted.run.id, sessionId: session.id, messageId: input.message.id }
      }),
    )
    begin()
    const answer = await chats.answerOf({ scope: caller.scope, sessionId, id: runId }, c.req.raw.signal)
    return c.json(await toRoomChatAnswer(roomDeps, caller, answer, messageId), 200)
  })
}
