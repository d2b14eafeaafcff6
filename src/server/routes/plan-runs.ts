import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  cancelPlanRun,
  decomposePlan,
  executePlan,
  listPlanRuns,
  requirePlanRun,
  retryPlanRun,
  runNode,
} from '../../plan/runs.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  decomposePlanSchema,
  executePlanSchema,
  planRunListQuerySchema,
  planRunPageSchema,
  planRunSchema,
  runNodeSchema,
} from '../../protocol/plan-run.ts'
import { nodeParam } from '../../protocol/plan-node.ts'
import { callerIn } from '../auth.ts'
import { optionalBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, optionalJsonBody, problem, refusals } from './responses.ts'

const tags = ['plan runs']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = query.meta({ id: 'PlanRunAction' })
const started = {
  202: json(planRunSchema, 'The run, which goes on'),
  ...conflicts,
  429: problem('Too many background sessions go on'),
}

const execute = createRoute({
  method: 'post',
  path: '/api/plans/{id}/execute',
  summary: 'Do what is to be done in a plan, or in one node and all below it',
  tags,
  request: { params, query, body: optionalJsonBody(executePlanSchema) },
  middleware: optionalBody,
  responses: started,
})

const run = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/run',
  summary: 'Do one node',
  tags,
  request: { params: params.extend({ nodeId: nodeParam }), query, body: optionalJsonBody(runNodeSchema) },
  middleware: optionalBody,
  responses: started,
})

const decompose = createRoute({
  method: 'post',
  path: '/api/plans/{id}/decompose',
  summary: 'Let a model take a plan or a node apart into smaller nodes',
  tags,
  request: { params, query, body: optionalJsonBody(decomposePlanSchema) },
  middleware: optionalBody,
  responses: started,
})

const list = createRoute({
  method: 'get',
  path: '/api/plan-runs',
  summary: 'Runs of plans, newest first',
  tags,
  request: { query: planRunListQuerySchema },
  responses: { 200: json(planRunPageSchema, 'A page of runs'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/plan-runs/{id}',
  summary: 'A run with all its steps',
  tags,
  request: { params, query },
  responses: { 200: json(planRunSchema, 'The run'), ...refusals },
})

const cancel = createRoute({
  method: 'post',
  path: '/api/plan-runs/{id}/cancel',
  summary: 'Cancel a run and all that it started',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 200: json(planRunSchema, 'The run'), ...conflicts },
})

const retry = createRoute({
  method: 'post',
  path: '/api/plan-runs/{id}/retry',
  summary: 'Do the actions of a run again that were not done, as a run of its own',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: started,
})

export function planRunRoutes(app: OpenAPIHono<AppEnv>, { store, limits, planDeps: deps }: ServerDeps): void {
  app.openapi(execute, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => executePlan(tx, deps, caller, id, wish)), 202)
  })

  app.openapi(run, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => runNode(tx, deps, caller, id, nodeId, wish)), 202)
  })

  app.openapi(decompose, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => decomposePlan(tx, deps, caller, id, wish)), 202)
  })

  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listPlanRuns(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    return c.json(await requirePlanRun(store, scope, c.req.valid('param').id), 200)
  })

  app.openapi(cancel, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    // saying it twice is told apart from what came of it the first time by the run itself
    readKey(c)
    return c.json(await cancelPlanRun(deps, caller, id), 200)
  })

  app.openapi(retry, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => retryPlanRun(tx, deps, caller, id)), 202)
  })
}
