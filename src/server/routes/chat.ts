import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { toTurnInput } from '../../core/chat/send-message.ts'
import type { JoinedFacets } from '../../core/protocol/joined-facets.ts'
import { idSchema, scopeSchema, wholeNumber } from '../../core/protocol/names.ts'
import { newestRun, requireRunOf } from '../../core/runs/newest-run.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import type { ServerDeps } from '../server-deps.ts'
import { once } from '../../core/http/idempotency.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { conflicts, jsonBody, refusals } from '../../core/http/responses.ts'

const tags = ['chat']
const params = z.object({ id: idSchema })
const inScope = z.strictObject({ scope: scopeSchema.optional() })
const eventStream = { 'text/event-stream': { schema: z.string() } }

const chatRouteOf = ({ chatSchemas: { body, answer } }: JoinedFacets) =>
  createRoute({
    method: 'post',
    path: '/api/sessions/{id}/chat',
    ...takesLarge,
    summary:
      'Send a message; the answer streams (UI message stream v1), or comes whole with Accept: application/json',
    tags,
    request: { params, query: inScope, body: jsonBody(body) },
    middleware: requireBody,
    responses: {
      200: {
        description: 'The turn',
        content: { ...eventStream, 'application/json': { schema: answer } },
      },
      ...conflicts,
    },
  })

const observe = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/observe',
  summary: 'Watch the newest run of the session: replay, then live; Last-Event-ID or after resumes',
  tags,
  request: { params, query: inScope.extend({ after: wholeNumber(0).optional(), run: idSchema.optional() }) },
  responses: {
    200: { description: 'Events', content: eventStream },
    204: { description: 'The session never ran' },
    ...refusals,
  },
})

const resume = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/chat/{chatId}/stream',
  summary: 'Resume a stream, as a stock AI SDK transport requests it',
  tags,
  request: { params: params.extend({ chatId: z.string().max(200) }), query: inScope },
  responses: {
    200: { description: 'Events of the running turn, from its start', content: eventStream },
    204: { description: 'Nothing runs' },
    ...refusals,
  },
})

export function chatRoutes(app: OpenAPIHono<AppEnv>, { store, chats, ids }: ServerDeps): void {
  app.openapi(chatRouteOf(store.facets), async (c) => {
    const body = c.req.valid('json')
    const caller = callerIn(c, body.scope ?? c.req.valid('query').scope)
    const place = { scope: caller.scope, sessionId: c.req.valid('param').id, keyName: caller.keyName }
    const input = toTurnInput(body, ids, store.facets)
    // a repeated request finds the run of the first one, and watches it
    let begin = () => {}
    const { runId } = await once(c, store, caller, async (tx) => {
      const admitted = await chats.admit(tx, place, input, body.policy)
      begin = admitted.begin
      return { runId: admitted.run.id }
    })
    begin()
    const run = { ...place, id: runId } as Run & typeof place
    if (wantsJson(c.req.header('accept')))
      return c.json(await chats.answerOrCalls(run, input, c.req.raw.signal), 200)
    return sendEvents(c, (signal) => chats.observe(runId, { signal }), { 'X-Parley-Run': runId })
  })

  app.openapi(observe, async (c) => {
    const { scope, after, run: runId } = c.req.valid('query')
    const { id } = c.req.valid('param')
    const { scope: checked } = callerIn(c, scope)
    await store.requireSession(checked, id)
    const run = await (runId ? requireRunOf(store, checked, id, runId) : newestRun(store, checked, id))
    if (!run) return c.body(null, 204)
    const from = after ?? readEventId(c.req.header('last-event-id'))
    return sendEvents(c, (signal) => chats.observe(run.id, { after: from, signal }), {
      'X-Parley-Run': run.id,
    })
  })

  app.openapi(resume, async (c) => {
    const { id } = c.req.valid('param')
    const { scope } = callerIn(c, c.req.valid('query').scope)
    await store.requireSession(scope, id)
    const running = (await store.listOpenRuns(id)).find(({ status }) => status === 'running')
    if (!running) return c.body(null, 204)
    return sendEvents(c, (signal) => chats.observe(running.id, { signal }))
  })
}

const wantsJson = (accept = '') =>
  /\bapplication\/json\b/.test(accept) && !/\btext\/event-stream\b/.test(accept)

/** Anything that is no number of ours means: from the start. */
const readEventId = (value: string | undefined) =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
