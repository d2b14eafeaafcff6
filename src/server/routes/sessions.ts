import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { createAnySessionSchema, taskResultSchema } from '../../protocol/background.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  forkSessionSchema,
  sessionListQuerySchema,
  sessionPageSchema,
  sessionSchema,
  updateSessionSchema,
  variantListSchema,
} from '../../protocol/session.ts'
import { deleteSession } from '../../sessions/delete.ts'
import { forkSession } from '../../sessions/fork.ts'
import { getSession } from '../../sessions/get.ts'
import { listSessions } from '../../sessions/list.ts'
import { leaveOutSealedSeats } from '../../room/sealed.ts'
import { createSessionRooms } from '../../room/session-rooms.ts'
import { getResult } from '../../sessions/result.ts'
import { startBackground } from '../../sessions/start-background.ts'
import { updateSession } from '../../sessions/update.ts'
import { listVariants } from '../../sessions/variants.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, problem, refusals } from './responses.ts'

const tags = ['sessions']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const create = createRoute({
  method: 'post',
  path: '/api/sessions',
  summary:
    'Create a session; of the kind "background", with a prompt, it starts a run that goes on by itself',
  tags,
  request: { query, body: jsonBody(createAnySessionSchema) },
  middleware: requireBody,
  responses: {
    201: json(sessionSchema, 'The session; X-Parley-Run names the run of a background one'),
    ...conflicts,
    429: problem('As many tasks go on, or wait, as may'),
  },
})

const list = createRoute({
  method: 'get',
  path: '/api/sessions',
  summary: 'List sessions, newest first',
  tags,
  request: { query: sessionListQuerySchema },
  responses: { 200: json(sessionPageSchema, 'A page of sessions'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/sessions/{id}',
  summary: 'Get a session',
  tags,
  request: { params, query },
  responses: { 200: json(sessionSchema, 'The session'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/sessions/{id}',
  summary: 'Rename or archive a session, or change its limits',
  tags,
  request: { params, query, body: jsonBody(updateSessionSchema) },
  middleware: requireBody,
  responses: { 200: json(sessionSchema, 'The session as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/sessions/{id}',
  summary: 'Delete a session with everything in it; the audit stays, and so do its tasks, without a parent',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Deleted' }, ...conflicts },
})

const result = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/result',
  summary: 'What became of a background session; 409 while it is not over',
  tags,
  request: { params, query },
  responses: { 200: json(taskResultSchema, 'The result'), ...conflicts },
})

const fork = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/fork',
  summary: 'Copy a session up to a message, that one included or not, as a session of its own or a variant',
  tags,
  request: { params, query, body: jsonBody(forkSessionSchema) },
  middleware: requireBody,
  responses: { 201: json(sessionSchema, 'The new session'), ...conflicts },
})

const variants = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/variants',
  summary: 'The session and those that are variants of it',
  tags,
  request: { params, query },
  responses: { 200: json(variantListSchema, 'Oldest first'), ...refusals },
})

export function sessionRoutes(app: OpenAPIHono<AppEnv>, deps: ServerDeps): void {
  const { store, background, clock, limits, roomDeps } = deps
  const rooms = createSessionRooms(roomDeps)
  app.openapi(create, async (c) => {
    const { scope, ...body } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    if (body.kind !== 'background')
      return c.json(await once(c, store, caller, (tx) => rooms.create(tx, caller, body)), 201)
    const { kind: _, ...task } = body
    const { session, runId } = await once(c, store, caller, (tx) =>
      startBackground(tx, background, caller, task),
    )
    return c.json(session, 201, { 'X-Parley-Run': runId })
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    const page = await listSessions(store, limits, callerIn(c, filter.scope), filter)
    return c.json({ ...page, items: await leaveOutSealedSeats(store, roomDeps, page.items) }, 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getSession(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const patch = c.req.valid('json')
    const caller = callerIn(c, patch.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(
      await once(c, store, caller, (tx) => updateSession(tx, { clock, rooms }, caller, id, patch)),
      200,
    )
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteSession(tx, background, caller, id))
    return c.body(null, 204)
  })

  app.openapi(result, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getResult(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(fork, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => forkSession(tx, caller, id, input, rooms)), 201)
  })

  app.openapi(variants, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await listVariants(store, caller, c.req.valid('param').id), 200)
  })
}
