import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Place } from '../../core/chat/chat-runs.ts'
import { toTurnInput } from '../../core/chat/send-message.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { ChatBody } from '../../core/protocol/chat.ts'
import type { RunEvent } from '../../core/protocol/chunk.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import type { JoinedFacets } from '../../core/protocol/joined-facets.ts'
import { idSchema, scopeSchema, wholeNumber } from '../../core/protocol/names.ts'
import { newestRun, requireRunOf } from '../../core/runs/newest-run.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { makeWay, takeAgain } from '../../core/sessions/take-again.ts'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import type { ServerDeps } from '../server-deps.ts'
import { once } from '../../core/http/idempotency.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { conflicts, jsonBody, refusals } from '../../core/http/responses.ts'

import {
  bringsAnswers,
  findTakenBack,
  hasLeftTurn,
  isUiBody,
  readUiBody,
  retakenId,
  takeAnswers,
  type UiBody,
} from '../ui-request.ts'
import { forUiClient, type LeftAt } from '../ui-stream.ts'

/** The run that a request is answered with, and where in it. */
interface Taken extends Pick<TurnInput, 'callerTools'> {
  runId: string
  leftAt?: LeftAt
}

const tags = ['chat']
const params = z.object({ id: idSchema })
const inScope = z.strictObject({ scope: scopeSchema.optional() })
const headers = z.object({
  'x-parley-on-disconnect': z.enum(['continue', 'stop']).optional().meta({
    description: 'What becomes of the turn when this connection is closed before its end; default continue',
  }),
})
const eventStream = { 'text/event-stream': { schema: z.string() } }

const chatRouteOf = ({ chatSchemas: { fields, body, answer } }: JoinedFacets) =>
  createRoute({
    method: 'post',
    path: '/api/sessions/{id}/chat',
    ...takesLarge,
    summary:
      'Send a message; the answer streams (UI message stream v1), or comes whole with Accept: application/json',
    tags,
    request: { params, query: inScope, headers, body: jsonBody(body) },
    middleware: [requireBody, readUiBody(fields)] as const,
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
  request: { params: params.extend({ chatId: z.string().max(200) }), query: inScope, headers },
  responses: {
    200: { description: 'Events of the running turn, from its start', content: eventStream },
    204: { description: 'Nothing runs' },
    ...refusals,
  },
})

export function chatRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, chats, ids, logger, services }: ServerDeps,
): void {
  app.openapi(chatRouteOf(store.facets), async (c) => {
    const body = c.req.valid('json')
    const onDisconnect = c.req.valid('header')['x-parley-on-disconnect']
    const caller = callerIn(c, body.scope ?? c.req.valid('query').scope)
    const place = { scope: caller.scope, sessionId: c.req.valid('param').id, keyName: caller.keyName }
    const taken = await (isUiBody(body) ? takeUi(c, caller, place, body) : take(c, caller, place, body))
    const { runId, leftAt, callerTools } = taken
    const run = { ...place, id: runId } as Run & typeof place
    if (wantsJson(c.req.header('accept')))
      return c.json(await chats.answerOrCalls(run, { callerTools }, c.req.raw.signal), 200)
    const named = { 'X-Parley-Run': runId }
    if (!isUiBody(body)) return sendEvents(c, (signal) => watch(run, { onDisconnect }, signal), named)
    return sendEvents(
      c,
      (signal) =>
        forUiClient(store, watch(run, { after: leftAt?.after, onDisconnect }, signal), {
          run,
          callerTools,
          leftAt,
        }),
      named,
    )
  })

  /** A repeated request finds the run of the first one, and watches it. */
  async function take(c: Context<AppEnv>, caller: Caller, place: Place, body: ChatBody): Promise<Taken> {
    const input = toTurnInput(body, ids, store.facets)
    let begin = () => {}
    const { runId } = await once(c, store, caller, async (tx) => {
      const admitted = await chats.admit(tx, place, input, body.policy)
      begin = admitted.begin
      return { runId: admitted.run.id }
    })
    begin()
    return { runId, callerTools: input.callerTools }
  }

  async function takeUi(c: Context<AppEnv>, caller: Caller, place: Place, body: UiBody): Promise<Taken> {
    const { sessionId } = place
    await store.requireSession(caller.scope, sessionId)
    if (bringsAnswers(body)) {
      const { runId, ...leftAt } = await once(c, store, caller, (work) =>
        work.transaction((tx) => takeAnswers(tx, caller, sessionId, body)),
      )
      const { input } = (await store.getRun(caller.scope, runId))!
      return { runId, leftAt, callerTools: (input as TurnInput).callerTools }
    }
    const retaken = retakenId(body) ?? (await findTakenBack(store, caller, sessionId, body))
    if (retaken === undefined) {
      const policy = body.policy ?? ((await hasLeftTurn(store, sessionId, body)) ? 'interrupt' : undefined)
      return take(c, caller, place, { ...body, policy })
    }
    const takeIt = () => takeMessageAgain(c, caller, place, { body, messageId: retaken })
    return takeIt().catch(async (error: unknown) => {
      if (!isBusy(error)) throw error
      await makeWay(store, services.sessions, caller, sessionId)
      return takeIt()
    })
  }

  async function takeMessageAgain(
    c: Context<AppEnv>,
    caller: Caller,
    place: Place,
    { body, messageId }: { body: UiBody; messageId: string },
  ): Promise<Taken> {
    const input = toTurnInput(body, ids, store.facets)
    let begin = () => {}
    const { runId } = await once(c, store, caller, (work) =>
      work.transaction(async (tx) => {
        await takeAgain(tx, services.sessions.lifecycle, caller, place.sessionId, messageId)
        const admitted = await chats.admit(tx, place, input, body.policy)
        begin = admitted.begin
        return { runId: admitted.run.id }
      }),
    )
    begin()
    return { runId, callerTools: input.callerTools }
  }

  /** The events of a run; where the client wishes so, its turn ends with the connection. */
  async function* watch(
    run: Run,
    { after = 0, onDisconnect }: { after?: number; onDisconnect?: 'continue' | 'stop' },
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent[]> {
    const stop = () =>
      void chats
        .stopRun(run)
        .catch((error: unknown) =>
          logger.warn({ err: error, runId: run.id }, 'could not stop a turn whose client has gone'),
        )
    if (onDisconnect === 'stop') signal.addEventListener('abort', stop)
    try {
      yield* chats.observe(run.id, { after, signal })
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

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
    const { callerTools } = running.input as TurnInput
    const onDisconnect = c.req.valid('header')['x-parley-on-disconnect']
    return sendEvents(c, (signal) =>
      forUiClient(store, watch(running, { onDisconnect }, signal), { run: running, callerTools }),
    )
  })
}

const isBusy = (error: unknown) =>
  error instanceof ParleyError && (error.details as { isRunning?: boolean } | undefined)?.isRunning === true

const wantsJson = (accept = '') =>
  /\bapplication\/json\b/.test(accept) && !/\btext\/event-stream\b/.test(accept)

/** Anything that is no number of ours means: from the start. */
const readEventId = (value: string | undefined) =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
