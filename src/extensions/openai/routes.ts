import { z } from 'zod'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution } from '../../core/http/contributions.ts'
import { json, jsonBody } from '../../core/http/responses.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { createChunkFormat } from './completion-chunks.ts'
import { completionSchema, toCompletion, type CompletionHead } from './completion.ts'
import { registerEmbeddings, type EmbeddingDeps } from './embeddings.ts'
import { failureOf, openAiErrors, openAiErrorSchema } from './error.ts'
import { createModelSource, openAiModelSchema, requireAnswerer, unknownModel } from './models.ts'
import { completionRequestSchema, readCompletion, refuseMisfit } from './request.ts'
import { addConversationRoutes } from './conversation-routes.ts'
import { addResponseRoutes } from './response-routes.ts'
import {
  readBeside,
  scopeHeader,
  serveTurn,
  sessionHeader,
  stopUnwatched,
  whileWatched,
  type OpenAiDeps,
} from './serve-turn.ts'
import { readSegment } from './take-turn.ts'

const tags = ['openai']
const query = inScopeSchema
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

/** Parley as one more OpenAI: for programs that speak nothing else. */
export function openAiRoutes(deps: OpenAiDeps & { embedding: EmbeddingDeps }): RouteContribution {
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
          const { headers, ...taken } = await serveTurn(deps, c, caller, () => ({ asked, beside, answerer }))
          const { sessionId, runId, after, usageBefore } = taken
          const run = { id: runId, scope: caller.scope, sessionId } as Run
          const head: CompletionHead = {
            // each request of a turn is an answer of its own
            id: `chatcmpl-${runId}${after > 0 ? `-${after}` : ''}`,
            created: Math.floor(host.clock.now() / 1_000),
            model: body.model,
          }
          // nobody else knows of a session that was made for the call
          const onGone = () => {
            if (beside.sessionId === undefined) stopUnwatched(deps, host, caller, sessionId)
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
        { scopeIn, refuse: refuseMisfit },
      )
      addResponseRoutes(host, deps, sources)
      addConversationRoutes(host, deps)
    },
  }
}
