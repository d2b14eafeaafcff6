import { z } from 'zod'
import type { CatalogueDeps } from '../../core/catalogue/open-catalogue.ts'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution, type RouteHost } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import { json, jsonBody } from '../../core/http/responses.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { conflict, quote } from '../../core/protocol/error.ts'
import { idSchema, inScopeSchema, scopeSchema } from '../../core/protocol/names.ts'
import type { SessionTypes } from '../../core/chat/session-types.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import { stopSession } from '../../core/sessions/stop.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import { createChunkFormat } from './completion-chunks.ts'
import { completionSchema, toCompletion, type CompletionHead } from './completion.ts'
import { failureOf, openAiErrors, openAiErrorSchema } from './error.ts'
import {
  createModelSource,
  openAiModelSchema,
  requireAnswerer,
  unknownModel,
  type Answerer,
} from './models.ts'
import {
  completionRequestSchema,
  readConversation,
  refuseInvalidCompletion,
  type Conversation,
} from './request.ts'

const tags = ['openai']
const query = inScopeSchema
const scopeHeader = z.object({
  'x-parley-scope': scopeSchema.optional().meta({ description: 'Goes before the query parameter' }),
})
const sessionHeader = scopeHeader.extend({
  'x-parley-session': idSchema
    .optional()
    .meta({ description: 'The session to continue; default: a new one' }),
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
          const { 'x-parley-session': given } = c.req.valid('header')
          const conversation = readConversation(body)
          const answerer = await requireAnswerer(sources, caller, body.model)
          let begin = () => {}
          const { sessionId, runId } = await once(c, store, caller, (work) =>
            work.transaction(async (tx) => {
              const place = given ?? (await beginSession(tx, caller, conversation, answerer))
              if (given !== undefined) await requireOneVoice(tx, chats.types, caller, given)
              const admitted = await admit(
                deps,
                tx,
                { scope: caller.scope, sessionId: place },
                conversation,
                {
                  isOwn: given === undefined,
                  answerer,
                },
              )
              begin = admitted.begin
              return { sessionId: place, runId: admitted.run.id }
            }),
          )
          begin()
          const run = { id: runId, scope: caller.scope, sessionId } as Run
          const headers = { 'X-Parley-Session': sessionId, 'X-Parley-Run': runId }
          const head: CompletionHead = {
            id: `chatcmpl-${runId}`,
            created: Math.floor(host.clock.now() / 1_000),
            model: body.model,
          }
          // nobody else knows of a session that was made for the call
          const onGone = () => {
            if (given === undefined) stop(deps, host, caller, sessionId)
          }
          if (c.req.raw.signal.aborted) onGone()
          if (body.stream) {
            const includeUsage = body.stream_options?.include_usage === true
            return sendEvents(
              c,
              (signal) => whileWatched(chats.observe(runId, { signal }), signal, onGone),
              headers,
              createChunkFormat(head, { includeUsage }),
            )
          }
          const answer = await chats.answerOf(run, c.req.raw.signal)
          if (c.req.raw.signal.aborted) onGone()
          for (const [name, value] of Object.entries(headers)) c.header(name, value)
          const failure = failureOf(answer)
          if (failure) throw failure
          return c.json(toCompletion(head, answer), 200)
        },
        { scopeIn, refuse: refuseInvalidCompletion },
      )
    },
  }
}

/** A session that already has the earlier messages. */
async function beginSession(
  tx: StoreOperations,
  caller: Caller,
  { history }: Conversation,
  { session }: Answerer,
): Promise<string> {
  const { id } = await createSession(tx, caller, session)
  if (history.length > 0) await tx.appendMessages(caller.scope, id, history)
  return id
}

/** A completion has one author. */
async function requireOneVoice(
  tx: StoreOperations,
  types: SessionTypes,
  { scope }: Caller,
  id: string,
): Promise<void> {
  if (types.of(await tx.requireSession(scope, id)).hasSeveralVoices)
    throw conflict(
      `The session ${quote(id)} is a room, where several agents answer: use POST /api/sessions/${id}/chat.`,
    )
}

/** A session that continues has its system message already. */
function admit(
  { chats, ids }: OpenAiDeps,
  tx: StoreOperations,
  place: { scope: string; sessionId: string },
  { input: { parts, persona, thinking } }: Conversation,
  { isOwn, answerer }: { isOwn: boolean; answerer: Answerer },
) {
  return chats.admit(tx, place, {
    message: { id: ids.next('msg'), parts },
    ...answerer.turn,
    ...(thinking !== undefined && { thinking }),
    ...(isOwn && persona !== undefined && { persona }),
  })
}

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

async function* whileWatched<T>(
  events: AsyncGenerator<T>,
  signal: AbortSignal,
  onGone: () => void,
): AsyncGenerator<T> {
  signal.addEventListener('abort', onGone)
  try {
    yield* events
  } finally {
    signal.removeEventListener('abort', onGone)
  }
}
