import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  rerunWorkflowSchema,
  resumeWorkflowSchema,
  runWorkflowSchema,
  startWorkflowSchema,
  workflowRunListQuerySchema,
  workflowRunPageSchema,
  workflowRunSchema,
} from '../../protocol/workflow.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import {
  cancelWorkflowRun,
  listRuns,
  requireRun,
  rerun as startAgain,
  resumeRun,
  startRun,
} from '../../workflow/runs.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, problem, refusals } from './responses.ts'

const tags = ['workflow runs']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = query.meta({ id: 'WorkflowRunAction' })
const started = {
  202: json(workflowRunSchema, 'The run, which goes on'),
  ...conflicts,
  429: problem('Too many background sessions go on'),
}

const run = createRoute({
  method: 'post',
  path: '/api/workflows/{id}/runs',
  summary: 'Run a workflow',
  tags,
  request: { params, query, body: optionalJsonBody(runWorkflowSchema) },
  middleware: optionalBody,
  responses: started,
})

const start = createRoute({
  method: 'post',
  path: '/api/workflow-runs',
  summary: 'Run a workflow by its name, or a definition that is kept nowhere',
  tags,
  request: { query, body: jsonBody(startWorkflowSchema) },
  middleware: requireBody,
  responses: started,
})

const list = createRoute({
  method: 'get',
  path: '/api/workflow-runs',
  summary: 'Runs of workflows, newest first',
  tags,
  request: { query: workflowRunListQuerySchema },
  responses: { 200: json(workflowRunPageSchema, 'A page of runs'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/workflow-runs/{id}',
  summary: 'A run with all its steps',
  tags,
  request: { params, query },
  responses: { 200: json(workflowRunSchema, 'The run'), ...refusals },
})

const resume = createRoute({
  method: 'post',
  path: '/api/workflow-runs/{id}/resume',
  summary: 'Answer what a run asks',
  tags,
  request: { params, query, body: jsonBody(resumeWorkflowSchema) },
  middleware: requireBody,
  responses: { 200: json(workflowRunSchema, 'The run, which goes on'), ...conflicts },
})

const cancel = createRoute({
  method: 'post',
  path: '/api/workflow-runs/{id}/cancel',
  summary: 'Cancel a run and all its steps',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 200: json(workflowRunSchema, 'The run'), ...conflicts },
})

const rerun = createRoute({
  method: 'post',
  path: '/api/workflow-runs/{id}/rerun',
  summary: 'Run the same definition again, from the beginning or from a step on',
  tags,
  request: { params, query, body: optionalJsonBody(rerunWorkflowSchema) },
  middleware: optionalBody,
  responses: started,
})

export function workflowRunRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, limits, workflowServices }: ServerDeps,
): void {
  const { deps, files } = workflowServices

  app.openapi(run, async (c) => {
    const { scope, args } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => startRun(tx, deps, caller, { id, args })), 202)
  })

  app.openapi(start, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    if (wish.name !== undefined) await files.look(caller.scope)
    return c.json(await once(c, store, caller, (tx) => startRun(tx, deps, caller, wish)), 202)
  })

  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listRuns(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const { scope } = callerIn(c, c.req.valid('query').scope)
    return c.json(await requireRun(store, scope, c.req.valid('param').id), 200)
  })

  app.openapi(resume, async (c) => {
    const { scope, ...answer } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => resumeRun(tx, caller, id, answer)), 200)
  })

  app.openapi(cancel, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    // saying it twice is told apart from what came of it the first time by the run itself
    readKey(c)
    return c.json(await cancelWorkflowRun(deps, caller, id), 200)
  })

  app.openapi(rerun, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => startAgain(tx, deps, caller, id, wish)), 202)
  })
}
