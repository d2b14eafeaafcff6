import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type BoundOperations, createCallOf } from '../core/operations/calls.ts'
import { type Operation, operationsIn } from '../core/operations/operation.ts'
import { type InScope, inScopeSchema } from '../core/protocol/names.ts'
import { takesLarge } from '../core/http/body-class.ts'
import { optionalBody, requireBody } from '../core/http/body.ts'
import { type AppEnv, callerIn } from '../core/http/request-environment.ts'
import { once, readKey } from '../core/http/idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, problem, refusals } from '../core/http/responses.ts'
import type { SealedSessions } from '../core/http/sealed-sessions.ts'
import { sendEvents } from '../core/http/sse.ts'
import { refuseInvalidSecret } from './errors.ts'
import type { ServerDeps } from './server-deps.ts'

export interface OperationRouteDeps extends Pick<ServerDeps, 'store' | 'chats' | 'limits'> {
  sealed: SealedSessions
}

/**
 * Every operation as a route. `createApp` has done what holds for all requests (id, metrics, span, headers, Host and Origin,
 * key, size and form of the body, sealed sessions). Then, in this order: parameters, query and body are parsed, and unknown
 * keys refused; the scope is held against the key; what has to be done first is done; the Idempotency-Key is looked up; the
 * operation runs, in one transaction with its key where it has one, and records its own audit there, as it does for tools;
 * what follows is done; sealed items are left out; the answer is sent. Whatever is thrown becomes an answer in `errors.ts`.
 */
export function operationRoutes(
  app: OpenAPIHono<AppEnv>,
  deps: OperationRouteDeps,
  bound: readonly BoundOperations[],
): void {
  for (const { operations, deps: services } of bound)
    for (const operation of operationsIn(operations))
      app.openapi(
        toRoute(operation),
        createAnswer(deps, operation, services) as never,
        operation.isSecret ? refuseInvalidSecret : undefined,
      )
}

function toRoute(operation: Operation) {
  const { method, path, tag, summary, description, params, input, body, output, status, returns } = operation
  const takesBody = isInBody(operation)
  return createRoute({
    method: method.toLowerCase() as 'get',
    path,
    ...(body.size === 'large' && takesLarge),
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    request: {
      ...(hasParams(operation) && { params: z.object(params) }),
      query: takesBody ? inScopeSchema : (input as z.ZodObject),
      ...(takesBody && { body: body.isRequired ? jsonBody(input) : optionalJsonBody(input) }),
    },
    ...(takesBody && { middleware: body.isRequired ? requireBody : optionalBody }),
    responses: {
      ...(operation.streams && { 200: { description: 'The run', content: eventStream } }),
      [status]: output ? json(output, returns) : { description: returns },
      ...each(operation.otherStatuses, (meaning) => json(output!, meaning)),
      ...(method === 'GET' || operation.bodyless ? refusals : conflicts),
      ...each(operation.refuses, problem),
    },
  })
}

const eventStream = { 'text/event-stream': { schema: z.string() } }

const isInBody = ({ method, bodyless }: Operation) => method !== 'GET' && method !== 'DELETE' && !bodyless
const hasParams = ({ path }: Operation) => path.includes('{')

const each = <T>(described: Readonly<Record<number, string>>, make: (text: string) => T) =>
  Object.fromEntries(Object.entries(described).map(([status, text]) => [status, make(text)]))

function createAnswer(
  { store, chats, limits: pages, sealed }: OperationRouteDeps,
  operation: Operation,
  services: unknown,
) {
  // the same for every request
  const takesParams = hasParams(operation)
  const takesBody = isInBody(operation)
  return async (c: Context<AppEnv>): Promise<Response> => {
    const valid = (part: 'param' | 'query' | 'json') => c.req.valid(part as never) as InScope
    const query = valid('query')
    const params = takesParams ? valid('param') : {}
    const { scope, ...rest } = takesBody ? valid('json') : query
    const caller = callerIn(c, scope ?? query.scope)
    const isKept = keepsKey(c, operation)
    const call = createCallOf(operation, { caller, deps: services, pages }, params, rest)
    const kept = (await call.perform(store, () =>
      isKept ? once(c, store, caller, call.run) : call.run(store),
    )) as { items: never[] }
    if (!operation.output) return c.body(null, 204)

    if (operation.sessionOf) kept.items = await sealed.leaveOut(kept.items, operation.sessionOf)
    const answer = operation.answer ? operation.answer(kept as never) : kept
    const { status = operation.status, headers } = operation.reply?.(kept as never) ?? {}
    if (operation.streams) return answerRun(c, chats, answer as { id: string }, status)
    return c.json(answer as object, status as ContentfulStatusCode, headers)
  }
}

/** With the run, or with what comes of it. */
function answerRun(c: Context<AppEnv>, chats: ServerDeps['chats'], run: { id: string }, status: number) {
  const named = { 'X-Parley-Run': run.id }
  if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? ''))
    return sendEvents(c, (signal) => chats.observe(run.id, { signal }), named)
  return c.json(run, status as ContentfulStatusCode, named)
}

/** A wrong key is refused by everything that changes something; it is kept where doing it twice would do more. */
function keepsKey(c: Context<AppEnv>, { method, keepsKeys }: Operation): boolean {
  if (method === 'GET') return false
  // before anything is done
  readKey(c)
  return keepsKeys
}
