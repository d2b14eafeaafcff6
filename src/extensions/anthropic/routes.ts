import { z } from 'zod'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteContribution } from '../../core/http/contributions.ts'
import { readKey } from '../../core/http/idempotency.ts'
import { json, jsonBody } from '../../core/http/responses.ts'
import { sendEvents } from '../../core/http/sse.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'
import { failureOf } from '../openai/error.ts'
import { createModelSource, requireAnswerer } from '../openai/models.ts'
import { refuseMisfit } from '../openai/request.ts'
import {
  readBeside,
  scopeHeader,
  serveTurn,
  sessionHeader,
  stopUnwatched,
  whileWatched,
  type OpenAiDeps,
} from '../openai/serve-turn.ts'
import { readSegment } from '../openai/take-turn.ts'
import { anthropicErrors, anthropicErrorSchema } from './error.ts'
import { createMessageFormat } from './message-events.ts'
import {
  countRequestSchema,
  countTokens,
  messageRequestSchema,
  readMessageRequest,
} from './message-request.ts'
import { messageSchema, toMessage, toMessageHead } from './message.ts'

const tags = ['anthropic']
// what its clients send with requests that use something new
const query = inScopeSchema.extend({ beta: z.string().max(20).optional().meta({ description: 'Ignored' }) })
const problem = (description: string) => json(anthropicErrorSchema, description)
const refusals = {
  400: problem('The request is not valid, or asks for something that is not supported'),
  401: problem('The API key is missing or wrong'),
  403: problem('The key or the origin has no access'),
  404: problem('There is no such model, or no such session in the scope'),
}

const create = defineRoute({
  method: 'post',
  path: '/v1/messages',
  ...takesLarge,
  summary:
    'Create a message as with Anthropic: in a session made for it, or in the one that X-Parley-Session names',
  tags,
  request: { query, headers: sessionHeader, body: jsonBody(messageRequestSchema) },
  middleware: requireBody,
  responses: {
    200: {
      description: 'The message; with `stream`, its events',
      content: {
        'application/json': { schema: messageSchema },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...refusals,
    409: problem('Conflicts with what is stored'),
    422: problem('The Idempotency-Key was used for something else'),
  },
})

const count = defineRoute({
  method: 'post',
  path: '/v1/messages/count_tokens',
  ...takesLarge,
  summary: 'Estimate how many tokens a message would send',
  tags,
  request: { query, headers: scopeHeader, body: jsonBody(countRequestSchema) },
  middleware: requireBody,
  responses: {
    200: json(z.object({ input_tokens: z.int() }).meta({ id: 'AnthropicTokenCount' }), 'The estimate'),
    ...refusals,
  },
})

const scopeIn = 'header'

/** Parley as one more Anthropic: for programs that speak nothing else. */
export function anthropicRoutes(deps: OpenAiDeps): RouteContribution {
  const { store, chats } = deps
  const sources = [createModelSource(deps.catalogue)]
  return {
    name: 'anthropic',
    errors: anthropicErrors,
    register(host) {
      host.add(
        create,
        async (c, caller) => {
          const body = c.req.valid('json')
          const beside = readBeside(c.req.valid('header'))
          const asked = readMessageRequest(body)
          const answerer = await requireAnswerer(sources, caller, body.model)
          const { headers, ...taken } = await serveTurn(deps, c, caller, () => ({ asked, beside, answerer }))
          const { sessionId, runId, after, stepsBefore, usageBefore } = taken
          // each request of a turn is a message of its own
          const key = runId.replace(/^run_/, '') + (stepsBefore > 0 ? `_${stepsBefore}` : '')
          const head = toMessageHead(`msg_${key}`, body.model)
          // nobody else knows of a session that was made for the call
          const onGone = () => {
            if (beside.sessionId === undefined) stopUnwatched(deps, host, caller, sessionId)
          }
          const { signal } = c.req.raw
          if (signal.aborted) onGone()
          if (body.stream)
            return sendEvents(
              c,
              (gone) => whileWatched(chats.observe(runId, { after, signal: gone }), gone, onGone),
              headers,
              createMessageFormat(head, { usageBefore }),
            )
          const run = { id: runId, scope: caller.scope, sessionId }
          const answer = await chats.answerOrCalls(run, asked.turn, signal)
          if (signal.aborted) onGone()
          for (const [name, value] of Object.entries(headers)) c.header(name, value)
          const failure = answer.awaiting ? undefined : failureOf(answer)
          if (failure) throw failure
          return c.json(toMessage(head, answer, await readSegment(store, taken, answer)), 200)
        },
        { scopeIn, refuse: refuseMisfit },
      )

      host.add(
        count,
        async (c, caller) => {
          readKey(c)
          const body = c.req.valid('json')
          await requireAnswerer(sources, caller, body.model)
          return c.json({ input_tokens: countTokens(body) }, 200)
        },
        { scopeIn, refuse: refuseMisfit },
      )
    },
  }
}
