import { z } from 'zod'
import { takesLarge } from '../../core/http/body-class.ts'
import { optionalBody, requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteHost } from '../../core/http/contributions.ts'
import { once, readKey } from '../../core/http/idempotency.ts'
import { json, jsonBody, optionalJsonBody } from '../../core/http/responses.ts'
import { sendEvents } from '../../core/http/sse.ts'
import type { RunEvent } from '../../core/protocol/chunk.ts'
import { flag, idSchema, inScopeSchema, wholeNumber } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { openResponseRequest, type OpenedResponse } from './open-response.ts'
import { deleteResponse } from './delete-response.ts'
import { failureOf, openAiErrorSchema } from './error.ts'
import { listInputItems } from './input-items.ts'
import { itemListSchema, itemPageFields } from './item-page.ts'
import { requireAnswerer, type ModelSource } from './models.ts'
import { refuseMisfit } from './request.ts'
import { createResponseFormat } from './response-events.ts'
import { toResponseId } from './response-ids.ts'
import { readResponseRequest, responseRequestSchema } from './response-request.ts'
import {
  requireResponse,
  responseSchema,
  toHead,
  toResponse,
  type FoundResponse,
  type ResponseBody,
} from './response.ts'
import {
  readBeside,
  scopeHeader,
  serveTurn,
  sessionHeader,
  stopUnwatched,
  whileWatched,
  type OpenAiDeps,
} from './serve-turn.ts'
import { sumSteps } from './take-turn.ts'

const tags = ['openai']
const problem = (description: string) => json(openAiErrorSchema, description)
const refusals = {
  400: problem('The request is not valid, or asks for something that is not supported'),
  401: problem('The API key is missing or wrong'),
  403: problem('The key or the origin has no access'),
  404: problem('There is no such response, model or session in the scope'),
}
const conflicts = {
  ...refusals,
  409: problem('Conflicts with what is stored'),
  422: problem('The Idempotency-Key was used for something else'),
}
const responseOrEvents = {
  description: 'The response; with `stream`, its events',
  content: {
    'application/json': { schema: responseSchema },
    'text/event-stream': { schema: z.string() },
  },
}
const path = '/v1/responses/{id}'
const params = z.object({ id: idSchema })

const create = defineRoute({
  method: 'post',
  path: '/v1/responses',
  ...takesLarge,
  summary:
    'Create a response as with OpenAI: a turn in a session of its own, or in that of an earlier response',
  tags,
  request: { query: inScopeSchema, headers: sessionHeader, body: jsonBody(responseRequestSchema) },
  middleware: requireBody,
  responses: { 200: responseOrEvents, ...conflicts },
})

const retrieve = defineRoute({
  method: 'get',
  path,
  summary: 'Get a response, also one that is being made; with stream=true, its events',
  tags,
  request: {
    query: inScopeSchema.extend({
      stream: flag.optional(),
      starting_after: wholeNumber(0).optional().meta({ description: 'Only events with a larger number' }),
    }),
    headers: scopeHeader,
    params,
  },
  responses: { 200: responseOrEvents, ...refusals },
})

const cancel = defineRoute({
  method: 'post',
  path: '/v1/responses/{id}/cancel',
  summary: 'Stop the turn of a response, and answer with what it was',
  tags,
  request: { query: inScopeSchema, headers: scopeHeader, params, body: optionalJsonBody(z.looseObject({})) },
  middleware: optionalBody,
  responses: { 200: json(responseSchema, 'The response'), ...refusals },
})

const deletedSchema = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' })

const remove = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a response; its session goes with the last one, unless it is that of people',
  tags,
  request: { query: inScopeSchema, headers: scopeHeader, params },
  responses: { 200: json(deletedSchema, 'Deleted'), ...conflicts },
})

const inputItems = defineRoute({
  method: 'get',
  path: '/v1/responses/{id}/input_items',
  summary: 'List what a response answers: the messages, or the results of calls',
  tags,
  request: { query: inScopeSchema.extend(itemPageFields), headers: scopeHeader, params },
  responses: { 200: json(itemListSchema, 'The items'), ...refusals },
})

const scopeIn = 'header'

/** OpenAI's Responses, each a part of a turn. */
export function addResponseRoutes(host: RouteHost, deps: OpenAiDeps, sources: readonly ModelSource[]): void {
  const { store, chats } = deps

  const require = async (caller: Caller, id: string, from: StoreOperations = store) => {
    const found = await requireResponse(from, caller, id)
    await host.sealed.refuse({ runId: found.runId })
    return found
  }
  /** Once it has ended, whether by itself or not. */
  const stop = async (caller: Caller, found: FoundResponse, signal: AbortSignal) => {
    if (found.run.finishedAt === undefined) {
      await chats.stopRun(found.run)
      await chats.answerOf(found.run, signal)
    }
    return require(caller, found.id)
  }

  host.add(
    create,
    async (c, caller) => {
      const body = c.req.valid('json')
      const answerer = await requireAnswerer(sources, caller, body.model)
      const read = await readResponseRequest(store, caller, body)
      let opened: OpenedResponse | undefined
      const { headers, ...taken } = await serveTurn(deps, c, caller, async (tx) => {
        opened = await openResponseRequest(tx, caller, {
          request: body,
          read,
          beside: readBeside(c.req.valid('header')),
          refuseSealed: (place) => host.sealed.refuse(place),
        })
        return { ...opened, answerer }
      })
      const { sessionId, runId, after, stepsBefore, usageBefore } = taken
      const id = toResponseId({ runId, stepsBefore })
      const { signal } = c.req.raw
      // nobody else knows of a session that was made for requests
      const onGone = () => {
        if (!body.background && opened?.isOfRequests) stopUnwatched(deps, host, caller, sessionId)
      }
      const found = () => requireResponse(store, caller, id, { isFresh: true })
      if (body.stream) {
        const head = toHead(await found())
        return sendEvents(
          c,
          (aborted) => whileWatched(chats.observe(runId, { after, signal: aborted }), aborted, onGone),
          headers,
          createResponseFormat(head, { usageBefore, now: () => host.clock.now() }),
        )
      }
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      if (!body.background) {
        if (signal.aborted) onGone()
        const run = { id: runId, scope: caller.scope, sessionId }
        const answer = await chats.answerOrCalls(run, read.asked.turn, signal)
        if (signal.aborted) onGone()
        const failure = answer.awaiting ? undefined : failureOf(answer)
        if (failure) throw failure
      }
      return c.json(toResponse(await found()), 200)
    },
    { scopeIn, refuse: refuseMisfit },
  )

  host.add(
    retrieve,
    async (c, caller) => {
      const found = await require(caller, c.req.valid('param').id)
      const { stream, starting_after: startingAfter } = c.req.valid('query')
      if (!stream) return c.json(toResponse(found), 200)
      const head: ResponseBody = {
        ...toHead(found),
        status: found.run.status === 'queued' ? 'queued' : 'in_progress',
      }
      return sendEvents(
        c,
        (signal) => ofSegment(chats.observe(found.runId, { signal }), found.stepsBefore),
        {},
        createResponseFormat(head, {
          usageBefore: sumSteps(found.steps.slice(0, found.stepsBefore)),
          startingAfter,
          now: () => host.clock.now(),
        }),
      )
    },
    { scopeIn, refuse: refuseMisfit },
  )

  host.add(
    cancel,
    async (c, caller) => {
      // it may be repeated with any key, or none
      readKey(c)
      const found = await require(caller, c.req.valid('param').id)
      return c.json(toResponse(await stop(caller, found, c.req.raw.signal)), 200)
    },
    { scopeIn, refuse: refuseMisfit },
  )

  host.add(
    remove,
    async (c, caller) => {
      readKey(c)
      const { id } = c.req.valid('param')
      const open = await requireResponse(store, caller, id).catch(() => undefined)
      if (open) await stop(caller, await require(caller, id), c.req.raw.signal)
      await once(c, store, caller, async (tx) =>
        deleteResponse(deps, tx, caller, await require(caller, id, tx)),
      )
      return c.json({ id, object: 'response' as const, deleted: true as const }, 200)
    },
    { scopeIn, refuse: refuseMisfit },
  )

  host.add(
    inputItems,
    async (c, caller) => {
      const found = await require(caller, c.req.valid('param').id)
      return c.json(await listInputItems(store, found, c.req.valid('query')), 200)
    },
    { scopeIn, refuse: refuseMisfit },
  )
}

/** From the step that a response begins with to its end. */
async function* ofSegment(
  batches: AsyncGenerator<RunEvent[]>,
  stepsBefore: number,
): AsyncGenerator<RunEvent[]> {
  let steps = 0
  for await (const events of batches) {
    const own: RunEvent[] = []
    for (const event of events) {
      if (steps >= stepsBefore) own.push(event)
      if (event.chunk.type === 'finish-step') steps++
      if (steps < stepsBefore || event.chunk.type !== 'data-awaiting') continue
      yield own
      return
    }
    yield own
  }
}
