import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import { conflicts, json, jsonBody } from '../../core/http/responses.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Store } from '../../core/store/store.ts'
import type { AgentDeps } from '../agents/agents.ts'
import type { RoomDeps } from './room-service.ts'
import { roomChatAnswerSchema, roomChatSchema } from './protocol/room.ts'
import { toRoomChatAnswer } from './chat-answer.ts'
import { openRoomChat, toRoomInput } from './chat-message.ts'

const send = defineRoute({
  method: 'post',
  path: '/api/chat',
  summary: 'Send a message in a room, and wait for all answers; for clients of the earlier interface',
  tags: ['rooms'],
  request: { query: inScopeSchema, body: jsonBody(roomChatSchema) },
  middleware: requireBody,
  responses: { 200: json(roomChatAnswerSchema, 'What was said, and the answers'), ...conflicts },
})

export interface RoomChatDeps {
  store: Store
  chats: ChatRuns
  ids: Ids
  rooms: RoomDeps
  agents: AgentDeps
}

export function roomChatRoutes({
  store,
  chats,
  ids,
  rooms: roomDeps,
  agents: agentDeps,
}: RoomChatDeps): RouteContribution {
  return {
    name: 'room',
    register(host) {
      host.add(send, async (c, caller) => {
        const body = c.req.valid('json')
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
    },
  }
}
