import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { TurnInput } from '../../chat/turn-input.ts'
import { runSchema } from '../../protocol/chat.ts'
import { notFound } from '../../protocol/error.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { toRunRecord } from '../../runs/run-record.ts'
import type { Run } from '../../store/queries/run-row.ts'
import type { Store } from '../../store/store.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['queue']
const params = z.object({ id: idSchema })
const itemParams = params.extend({ runId: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const editSchema = z
  .strictObject({ scope: scopeSchema.optional(), content: z.string().min(1) })
  .meta({ id: 'EditQueued' })

const list = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/queue',
  summary: 'Inputs that wait for their turn, in order',
  tags,
  request: { params, query },
  responses: {
    200: json(z.object({ items: z.array(runSchema), nextCursor: z.null() }), 'What waits'),
    ...refusals,
  },
})

const edit = createRoute({
  method: 'patch',
  path: '/api/sessions/{id}/queue/{runId}',
  summary: 'Change the text of an input that waits',
  tags,
  request: { params: itemParams, query, body: jsonBody(editSchema) },
  middleware: requireBody,
  responses: { 200: json(runSchema, 'The input as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/sessions/{id}/queue/{runId}',
  summary: 'Take an input that waits back',
  tags,
  request: { params: itemParams, query },
  responses: { 204: { description: 'Taken back' }, ...refusals },
})

export function queueRoutes(app: OpenAPIHono<AppEnv>, { store }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await store.requireSession(scope, id)
    const waiting = (await store.listOpenRuns(id)).filter(
      ({ status, kind }) => status === 'queued' && kind !== 'background',
    )
    return c.json({ items: waiting.map(toRunRecord), nextCursor: null }, 200)
  })

  app.openapi(edit, async (c) => {
    const { content, scope: given } = c.req.valid('json')
    const { scope } = callerIn(c, given ?? c.req.valid('query').scope)
    const { id, runId } = c.req.valid('param')
    const run = await requireQueued(store, scope, id, runId)
    const input = run.input as TurnInput
    const message = { ...input.message, parts: [{ type: 'text', text: content }] }
    // it may have begun meanwhile
    if (!(await store.editQueuedRun(scope, runId, { ...input, message })))
      throw notFound('queued input', runId)
    return c.json(toRunRecord((await store.getRun(scope, runId))!), 200)
  })

  app.openapi(remove, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    const { id, runId } = c.req.valid('param')
    await requireQueued(store, scope, id, runId)
    if (!(await store.cancelQueuedRun(scope, runId))) throw notFound('queued input', runId)
    return c.body(null, 204)
  })
}

async function requireQueued(store: Store, scope: string, sessionId: string, runId: string): Promise<Run> {
  await store.requireSession(scope, sessionId)
  const run = await store.getRun(scope, runId)
  // a task that waits is no input: it is stopped with its session, which settles it
  if (run?.sessionId !== sessionId || run.status !== 'queued' || run.kind === 'background')
    throw notFound('queued input', runId)
  return run
}
