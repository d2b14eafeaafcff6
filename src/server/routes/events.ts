import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { eventPageSchema, eventQuerySchema } from '../../core/protocol/event.ts'
import { requireLimit } from '../../core/sessions/list.ts'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import type { ServerDeps } from '../server-deps.ts'
import { createEventSender } from '../event-socket.ts'
import { alreadySent } from '../../core/http/already-sent.ts'
import { json, refusals } from '../../core/http/responses.ts'

const follow = createRoute({
  method: 'get',
  path: '/api/events',
  summary: 'List the events of a scope, oldest first; as a WebSocket: the same, then live',
  description:
    'As a WebSocket, it sends one JSON text per event, from the one after "after" on, or from now on. ' +
    'A key goes into the Authorization header, or, in a browser, is offered as the protocol "parley.key.<key>" ' +
    'beside "parley". A frame of the type "gap" stands for events that are not kept any more.',
  tags: ['events'],
  request: { query: eventQuerySchema },
  responses: { 200: json(eventPageSchema, 'A page of events'), ...refusals },
})

export function eventRoutes(app: OpenAPIHono<AppEnv>, { store, events, limits }: ServerDeps): void {
  const sendTo = createEventSender()

  app.openapi(follow, async (c) => {
    const { scope: asked, after, limit } = c.req.valid('query')
    const { scope } = callerIn(c, asked)
    if (c.env?.upgrade) {
      // before the handshake: a connected client misses nothing from then on
      const from = after ?? (await store.getEventRange(scope)).last
      const socket = await c.env.upgrade()
      void sendTo(socket, (signal) => events.follow(scope, { after: from, signal }))
      // the socket itself has sent the 101; no response type fits what is left to return
      return alreadySent() as never
    }
    const count = requireLimit(limits, limit)
    const range = await store.getEventRange(scope)
    const items = await store.listEvents(scope, { after: after ?? 0, limit: count })
    const last = Math.max(range.last, items.at(-1)?.seq ?? 0)
    const nextCursor = items.length === count ? String(items.at(-1)!.seq) : null
    return c.json({ items, first: range.first, last, nextCursor }, 200)
  })
}
