import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { TurnInput } from '../../chat/turn-input.ts'
import { runSchema } from '../../protocol/chat.ts'
import { notFound } from '../../protocol/error.ts'
import { idSchema, scopeSchema, wholeNumber } from '../../protocol/names.ts'
import { leaveOutSealed } from '../../room/sealed.ts'
import { toRunRecord } from '../../runs/run-record.ts'
import { requireLimit } from '../../sessions/list.ts'
import type { Run } from '../../store/queries/run-row.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const tags = ['runs']

const get = createRoute({
  method: 'get',
  path: '/api/runs/{id}',
  summary: 'A run of the ledger',
  tags,
  request: { params: z.object({ id: idSchema }), query: z.strictObject({ scope: scopeSchema.optional() }) },
  responses: { 200: json(runSchema, 'The run'), ...refusals },
})

const list = createRoute({
  method: 'get',
  path: '/api/runs',
  summary: 'Runs, newest first',
  tags,
  request: {
    query: z.strictObject({
      scope: scopeSchema.optional(),
      session: idSchema.optional(),
      status: runSchema.shape.status.optional(),
      parent: idSchema.optional(),
      limit: wholeNumber(1).optional(),
      cursor: z.string().max(500).optional(),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(runSchema), nextCursor: z.string().nullable() }), 'A page of runs'),
    ...refusals,
  },
})

const sessionPrompt = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/prompt',
  summary: 'The prompt as it would be sent with the next input',
  tags,
  request: { params: z.object({ id: idSchema }), query: z.strictObject({ scope: scopeSchema.optional() }) },
  responses: { 200: json(z.looseObject({ system: z.string() }), 'Fragments, messages, tools'), ...refusals },
})

const runPrompt = createRoute({
  method: 'get',
  path: '/api/runs/{id}/prompt',
  summary: 'The prompt as it was sent at each step of a run, with what the cache made of it',
  tags,
  request: { params: z.object({ id: idSchema }), query: z.strictObject({ scope: scopeSchema.optional() }) },
  responses: { 200: json(z.looseObject({ runId: z.string() }), 'Steps'), ...refusals },
})

const stepPrompt = createRoute({
  method: 'get',
  path: '/api/runs/{id}/prompt/{step}',
  summary: 'The prompt of one step of a run, whole: texts of fragments, messages of the window, tools',
  tags,
  request: {
    params: z.object({ id: idSchema, step: wholeNumber(1) }),
    query: z.strictObject({ scope: scopeSchema.optional() }),
  },
  responses: { 200: json(z.looseObject({ system: z.string() }), 'What was sent'), ...refusals },
})

export function runRoutes(app: OpenAPIHono<AppEnv>, { store, chats, limits, roomDeps }: ServerDeps): void {
  app.openapi(sessionPrompt, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    return c.json({ ...(await chats.previewPrompt({ scope, sessionId: c.req.valid('param').id })) }, 200)
  })

  app.openapi(runPrompt, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    return c.json({ ...(await chats.inspectRun(scope, c.req.valid('param').id)) }, 200)
  })

  app.openapi(stepPrompt, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    const { id, step } = c.req.valid('param')
    return c.json({ ...(await chats.inspectStep(scope, id, step)) }, 200)
  })

  app.openapi(get, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const run = await store.getRun(scope, id)
    if (!run) throw notFound('run', id)
    return c.json(toRunRecord(run), 200)
  })

  app.openapi(list, async (c) => {
    const { scope, session, status, parent, limit, cursor } = c.req.valid('query')
    const filter = {
      sessionId: session,
      status,
      parentId: parent,
      cursor,
      limit: requireLimit(limits, limit),
    }
    const { items, nextCursor } = await store.listRuns(callerIn(c, scope).scope, filter)
    const open = await leaveOutSealed(store, roomDeps, items, seatOf)
    return c.json({ items: open.map(toRunRecord), nextCursor }, 200)
  })
}

/** The session of an agent whose turn it is; most runs are none, and then nothing is looked up. */
const seatOf = ({ sessionId, input }: Run) => ((input as TurnInput).seat ? sessionId : undefined)
