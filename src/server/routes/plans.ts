import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { exportMarkdown, importMarkdown } from '../../plan/exchange.ts'
import { createPlan, deletePlan, getPlan, listPlans, updatePlan } from '../../plan/plans.ts'
import { readOutline, readResults, readTree } from '../../plan/tree.ts'
import { listPlanVersions, undoPlan } from '../../plan/versions.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  createPlanSchema,
  importMarkdownSchema,
  outlineQuerySchema,
  planChangedSchema,
  planListQuerySchema,
  planMarkdownSchema,
  planOutlineSchema,
  planPageSchema,
  planResultsQuerySchema,
  planResultsSchema,
  planSchema,
  planTreeSchema,
  planVersionListQuerySchema,
  planVersionPageSchema,
  treeQuerySchema,
  undoPlanSchema,
  updatePlanSchema,
} from '../../protocol/plan.ts'
import { callerIn } from '../auth.ts'
import { takesLarge } from '../body-class.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['plans']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/plans',
  summary: 'Plans without their nodes, what was changed last first',
  tags,
  request: { query: planListQuerySchema },
  responses: { 200: json(planPageSchema, 'A page of plans'), ...refusals },
})

const create = createRoute({
  method: 'post',
  path: '/api/plans',
  ...takesLarge,
  summary: 'Create a plan, empty or from a list of tasks in Markdown',
  tags,
  request: { query, body: jsonBody(createPlanSchema) },
  middleware: requireBody,
  responses: { 201: json(planSchema, 'The plan'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/plans/{id}',
  summary: 'A plan and how far it is',
  tags,
  request: { params, query },
  responses: { 200: json(planSchema, 'The plan'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/plans/{id}',
  summary: 'Change the title, the description or the metadata of a plan',
  tags,
  request: { params, query, body: jsonBody(updatePlanSchema) },
  middleware: requireBody,
  responses: { 200: json(planSchema, 'The plan as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/plans/{id}',
  summary: 'Delete a plan with its nodes and versions; 409 while a run works on it',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

const tree = createRoute({
  method: 'get',
  path: '/api/plans/{id}/tree',
  summary: 'All nodes of a plan, or one with what is below it, in the order of the tree',
  tags,
  request: { params, query: treeQuerySchema },
  responses: { 200: json(planTreeSchema, 'The plan and its nodes'), ...refusals },
})

const outline = createRoute({
  method: 'get',
  path: '/api/plans/{id}/outline',
  summary: 'A plan in lines, as models read it',
  tags,
  request: { params, query: outlineQuerySchema },
  responses: { 200: json(planOutlineSchema, 'The lines'), ...refusals },
})

const markdown = createRoute({
  method: 'get',
  path: '/api/plans/{id}/markdown',
  summary: 'A plan as a list of tasks in Markdown, which can be imported again',
  tags,
  request: { params, query },
  responses: { 200: json(planMarkdownSchema, 'The text'), ...refusals },
})

const importText = createRoute({
  method: 'post',
  path: '/api/plans/{id}/import',
  ...takesLarge,
  summary: 'Add the items of a Markdown list as nodes; all of them or none',
  tags,
  request: { params, query, body: jsonBody(importMarkdownSchema) },
  middleware: requireBody,
  responses: { 200: json(planChangedSchema, 'The version and the nodes that were added'), ...conflicts },
})

const results = createRoute({
  method: 'get',
  path: '/api/plans/{id}/results',
  summary: 'What came of the nodes of a plan',
  tags,
  request: { params, query: planResultsQuerySchema },
  responses: { 200: json(planResultsSchema, 'In the order of the tree'), ...refusals },
})

const versions = createRoute({
  method: 'get',
  path: '/api/plans/{id}/versions',
  summary: 'What was changed in a plan and by whom, newest first',
  tags,
  request: { params, query: planVersionListQuerySchema },
  responses: { 200: json(planVersionPageSchema, 'A page of versions'), ...refusals },
})

const undo = createRoute({
  method: 'post',
  path: '/api/plans/{id}/undo',
  summary: 'Take a version back, as a change of its own',
  tags,
  request: { params, query, body: optionalJsonBody(undoPlanSchema) },
  middleware: optionalBody,
  responses: { 200: json(planChangedSchema, 'The new version and the nodes that it changed'), ...conflicts },
})

export function planRoutes(app: OpenAPIHono<AppEnv>, { store, limits, planDeps: deps }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listPlans(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createPlan(tx, deps, caller, input)), 201)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getPlan(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updatePlan(tx, caller, id, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deletePlan(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(tree, async (c) => {
    const { scope, ...bounds } = c.req.valid('query')
    return c.json(await readTree(store, callerIn(c, scope), c.req.valid('param').id, bounds), 200)
  })

  app.openapi(outline, async (c) => {
    const { scope, ...bounds } = c.req.valid('query')
    return c.json(await readOutline(store, callerIn(c, scope), c.req.valid('param').id, bounds), 200)
  })

  app.openapi(markdown, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await exportMarkdown(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(importText, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => importMarkdown(tx, deps, caller, id, input)), 200)
  })

  app.openapi(results, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await readResults(store, callerIn(c, scope), c.req.valid('param').id, filter), 200)
  })

  app.openapi(versions, async (c) => {
    const { scope, ...page } = c.req.valid('query')
    return c.json(
      await listPlanVersions(store, limits, callerIn(c, scope), c.req.valid('param').id, page),
      200,
    )
  })

  app.openapi(undo, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => undoPlan(tx, deps, caller, id, input)), 200)
  })
}
