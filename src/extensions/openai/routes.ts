import { z } from 'zod'
import type { CatalogueDeps } from '../../core/catalogue/open-catalogue.ts'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution, type RouteHost } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import { json, jsonBody } from '../../core/http/responses.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { idSchema, inScopeSchema, scopeSchema } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { stopSession } from '../../core/sessions/stop.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { RunEvent } from '../../core/protocol/chunk.ts'
import type { Store } from '../../core/store/store.ts'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import { createChunkFormat } from './completion-chunks.ts'
import { completionSchema, toCompletion, type CompletionHead } from './completion.ts'
import { registerEmbeddings, type EmbeddingDeps } from './embeddings.ts'
import { failureOf, openAiErrors, openAiErrorSchema } from './error.ts'
import { createModelSource, openAiModelSchema, requireAnswerer, unknownModel } from './models.ts'
import { completionRequestSchema, readCompletion, refuseInvalidCompletion } from './request.ts'
import { readSegment, takeTurn, type AskedBeside } from './take-turn.ts'

const tags = ['openai']
const query = inScopeSchema
const scopeHeader = z.object({
  'x-parley-scope': scopeSchema.optional().meta({ description: 'Goes before the query parameter' }),
})
const sessionHeader = scopeHeader.extend({
  'x-parley-session': idSchema
    .optional()
    .meta({ description: 'The session to continue; default: a new one' }),
  'x-parley-tools': z.enum(['built-in', 'none']).optional().meta({
    description:
      "Whether the turn has Parley's own tools; default: in a session that is named, unless there are tools",
  }),
  'x-parley-approvals': z.enum(['deny', 'wait']).optional().meta({
    description: 'What becomes of calls that a person has to allow; default deny',
  }),
})

const problem = (description: string) => json(openAiErrorSchema, description)

const refusals = {
  400: problem('The request is not valid, or asks for something that is not supported'),
  401: problem('The API key is missing or wrong'),
  403: problem('The key or the origin has no access'),
  404: problem('There is no such model, or no such session in the scope'),
}

const complete = defineRoute({
  method: 'post',
  path: '/v1/chat/completions',
  ...takesLarge,
  summary: 'Chat as with OpenAI: in a session made for the call, or in the one that X-Parley-Session names',
  tags,
  request: { query, headers: sessionHeader, body: jsonBody(completionRequestSchema) },
  middleware: requireBody,
  responses: {
    200: {
      description: 'The answer; with `stream`, its chunks',
      content: {
        'application/json': { schema: completionSchema },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...refusals,
    409: problem('Conflicts with what is stored'),
    422: problem('The Idempotency-Key was used for something else'),
  },
})

const list = defineRoute({
  method: 'get',
  path: '/v1/models',
  summary: 'List the models, as OpenAI does',
  tags,
  request: { query, headers: scopeHeader },
  responses: {
    200: json(z.object({ object: z.literal('list'), data: z.array(openAiModelSchema) }), 'Models'),
    ...refusals,
  },
})

const retrieve = defineRoute({
  method: 'get',
  path: '/v1/models/{model}',
  summary: 'Get a model; the slash of its name is written as %2F',
  tags,
  request: { query, headers: scopeHeader, params: z.object({ model: z.string().max(200) }) },
  responses: { 200: json(openAiModelSchema, 'The model'), ...refusals },
})

const scopeIn = 'header'

export interface OpenAiDeps {
  store: Store
  chats: ChatRuns
  background: BackgroundManager
  catalogue: CatalogueDeps
  ids: Ids
  embedding: EmbeddingDeps
}

/** Parley as one more OpenAI: for programs that speak nothing else. */
export function openAiRoutes(deps: OpenAiDeps): RouteContribution {
  const { store, chats } = deps
  const sources = [createModelSource(deps.catalogue)]
  const listAll = async (caller: Caller) =>
    (await Promise.all(sources.map((source) => source.list(caller)))).flat()

  return {
    name: 'openai',
    errors: openAiErrors,
    register(host) {
      registerEmbeddings(host, deps.embedding)

      host.add(
        list,
        async (c, caller) => c.json({ object: 'list' as const, data: await listAll(caller) }, 200),
        { scopeIn },
      )

      host.add(
        retrieve,
        async (c, caller) => {
          const { model: id } = c.req.valid('param')
          const model = (await listAll(caller)).find((known) => known.id === id)
          if (!model) throw unknownModel(id)
          return c.json(model, 200)
        },
        { scopeIn },
      )

      host.add(
        complete,
        async (c, caller) => {
          const body = c.req.valid('json')
          const beside = readBeside(c.req.valid('header'))
          const asked = readCompletion(body)
          const answerer = await requireAnswerer(sources, caller, body.model)
          let begin = () => {}
          let stale: Run | undefined
          const taken = await once(c, store, caller, (work) =>
            work.transaction(async (tx) => {
              const {
                begin: start,
                stale: left,
                ...place
              } = await takeTurn(deps, tx, caller, {
                asked,
                beside,
                answerer,
              })
              begin = start
              stale = left
              return place
            }),
          )
          begin()
          if (stale) await deps.chats.stopRun(stale)
          const { sessionId, runId, after, usageBefore } = taken
          const run = { id: runId, scope: caller.scope, sessionId } as Run
          const headers = { 'X-Parley-Session': sessionId, 'X-Parley-Run': runId }
          const head: CompletionHead = {
            // each request of a turn is an answer of its own
            id: `chatcmpl-${runId}${after > 0 ? `-${after}` : ''}`,
            created: Math.floor(host.clock.now() / 1_000),
            model: body.model,
          }
          // nobody else knows of a session that was made for the call
          const onGone = () => {
            if (beside.sessionId === undefined) stop(deps, host, caller, sessionId)
          }
          if (c.req.raw.signal.aborted) onGone()
          if (body.stream) {
            const includeUsage = body.stream_options?.include_usage === true
            return sendEvents(
              c,
              (signal) => whileWatched(chats.observe(runId, { after, signal }), signal, onGone),
              headers,
              createChunkFormat(head, { includeUsage, usageBefore }),
            )
          }
          const answer = await chats.answerOrCalls(run, asked.turn, c.req.raw.signal)
          if (c.req.raw.signal.aborted) onGone()
          for (const [name, value] of Object.entries(headers)) c.header(name, value)
          const failure = answer.awaiting ? undefined : failureOf(answer)
          if (failure) throw failure
          return c.json(toCompletion(head, answer, await readSegment(store, taken, answer)), 200)
        },
        { scopeIn, refuse: refuseInvalidCompletion },
      )
    },
  }
}

const readBeside = (headers: z.infer<typeof sessionHeader>): AskedBeside => ({
  sessionId: headers['x-parley-session'],
  hasBuiltInTools:
    headers['x-parley-tools'] === undefined ? undefined : headers['x-parley-tools'] === 'built-in',
  waitsForPeople: headers['x-parley-approvals'] === 'wait',
})

/** Nobody receives its errors: the turn then ends by itself. */
function stop(
  { store, chats, background }: OpenAiDeps,
  { logger }: Pick<RouteHost, 'logger'>,
  caller: Caller,
  sessionId: string,
): void {
  stopSession(store, { chats, background }, caller, sessionId).catch((error: unknown) =>
    logger.warn({ err: error, sessionId }, 'could not stop a turn that nobody waits for any more'),
  )
}

/** Up to the end of the turn, or to where it waits for its caller. */
async function* whileWatched(
  batches: AsyncGenerator<RunEvent[]>,
  signal: AbortSignal,
  onGone: () => void,
): AsyncGenerator<RunEvent[]> {
  signal.addEventListener('abort', onGone)
  try {
    for await (const events of batches) {
      const end = events.findIndex(({ chunk }) => chunk.type === 'data-awaiting')
      yield end === -1 ? events : events.slice(0, end + 1)
      if (end !== -1) return
    }
  } finally {
    signal.removeEventListener('abort', onGone)
  }
}
