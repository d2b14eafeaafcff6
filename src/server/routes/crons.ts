import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  createCronSchema,
  cronFirePageSchema,
  cronFireSchema,
  cronListQuerySchema,
  cronPageSchema,
  cronPreviewSchema,
  cronSchema,
  fireListQuerySchema,
  previewCronSchema,
  updateCronSchema,
} from '../../protocol/cron.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  createCron,
  deleteCron,
  getCron,
  listCrons,
  listFires,
  pauseCron,
  previewCron,
  resumeCron,
  updateCron,
} from '../../schedule/crons.ts'
import { triggerCron } from '../../schedule/trigger-cron.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, problem, refusals } from './responses.ts'

const tags = ['crons']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = query.meta({ id: 'CronAction' })

const preview = createRoute({
  method: 'post',
  path: '/api/crons/preview',
  summary: 'When a schedule fires, on the clocks of its zone; stores nothing',
  tags,
  request: { query, body: jsonBody(previewCronSchema) },
  middleware: requireBody,
  responses: { 200: json(cronPreviewSchema, 'The next fires'), ...conflicts },
})

const create = createRoute({
  method: 'post',
  path: '/api/crons',
  summary: 'Create a cron: a prompt that starts a background session by time',
  tags,
  request: { query, body: jsonBody(createCronSchema) },
  middleware: requireBody,
  responses: { 201: json(cronSchema, 'The cron'), ...conflicts },
})

const list = createRoute({
  method: 'get',
  path: '/api/crons',
  summary: 'List crons, newest first',
  tags,
  request: { query: cronListQuerySchema },
  responses: { 200: json(cronPageSchema, 'A page of crons'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/crons/{id}',
  summary: 'Get a cron',
  tags,
  request: { params, query },
  responses: { 200: json(cronSchema, 'The cron'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/crons/{id}',
  summary: 'Change a cron; a new schedule counts from now',
  tags,
  request: { params, query, body: jsonBody(updateCronSchema) },
  middleware: requireBody,
  responses: { 200: json(cronSchema, 'The cron as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/crons/{id}',
  summary: 'Delete a cron with its fires; the sessions that they started stay',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Deleted' }, ...conflicts },
})

const pause = createRoute({
  method: 'post',
  path: '/api/crons/{id}/pause',
  summary: 'Pause a cron; what goes on is not stopped',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 200: json(cronSchema, 'The cron as it is now'), ...conflicts },
})

const resume = createRoute({
  method: 'post',
  path: '/api/crons/{id}/resume',
  summary: 'Let a cron go on from now, with a clean count of failures',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 200: json(cronSchema, 'The cron as it is now'), ...conflicts },
})

const trigger = createRoute({
  method: 'post',
  path: '/api/crons/{id}/trigger',
  summary: 'Fire a cron now, whatever its schedule says',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: {
    201: json(cronFireSchema, 'The fire'),
    ...conflicts,
    429: problem('Too many background sessions go on'),
  },
})

const fires = createRoute({
  method: 'get',
  path: '/api/crons/{id}/fires',
  summary: 'What was fired, and why a time was not; newest first',
  tags,
  request: { params, query: fireListQuerySchema },
  responses: { 200: json(cronFirePageSchema, 'A page of fires'), ...refusals },
})

export function cronRoutes(app: OpenAPIHono<AppEnv>, { store, schedule, limits }: ServerDeps): void {
  // before the routes with an id, which "preview" would pass for
  app.openapi(preview, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, async () => previewCron(schedule, input)), 200)
  })

  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createCron(schedule, tx, caller, input)), 201)
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    return c.json(await listCrons(store, limits, callerIn(c, filter.scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getCron(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const patch = c.req.valid('json')
    const caller = callerIn(c, patch.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateCron(schedule, tx, caller, id, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteCron(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(pause, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => pauseCron(tx, caller, id)), 200)
  })

  app.openapi(resume, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => resumeCron(schedule, tx, caller, id)), 200)
  })

  app.openapi(trigger, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    let settle = async () => {}
    const fire = await once(c, store, caller, async (tx) => {
      const triggered = await triggerCron(schedule, tx, caller, id)
      settle = triggered.settle
      return triggered.fire
    })
    // what it takes the place of is ended when it is stored
    await settle()
    return c.json(fire, 201)
  })

  app.openapi(fires, async (c) => {
    const filter = c.req.valid('query')
    const caller = callerIn(c, filter.scope)
    return c.json(await listFires(store, limits, caller, c.req.valid('param').id, filter), 200)
  })
}
