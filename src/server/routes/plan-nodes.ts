import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { addPlanNode, deletePlanNode, movePlanNode, updatePlanNode } from '../../plan/edits.ts'
import { stopLeft } from '../../plan/node-control.ts'
import { findNodePlace, toPlanNode } from '../../plan/plan-record.ts'
import { acceptNode, resetNode, skipNode } from '../../plan/status.ts'
import { readNode } from '../../plan/tree.ts'
import { idSchema, scopeSchema, wholeNumber } from '../../protocol/names.ts'
import { planChangedSchema } from '../../protocol/plan.ts'
import {
  createNodeSchema,
  moveNodeSchema,
  nodeChangedSchema,
  nodeParam,
  planNodeSchema,
  resetNodeSchema,
  skipNodeSchema,
  updateNodeSchema,
} from '../../protocol/plan-node.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['plans']
const params = z.object({ id: idSchema, nodeId: nodeParam })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = query.meta({ id: 'PlanNodeAction' })
const someChanged = {
  200: json(planChangedSchema, 'The version and the nodes that were changed'),
  ...conflicts,
}

const add = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes',
  summary: 'Add a node at a place',
  tags,
  request: { params: params.pick({ id: true }), query, body: jsonBody(createNodeSchema) },
  middleware: requireBody,
  responses: { 201: json(nodeChangedSchema, 'The version and the node'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/plans/{id}/nodes/{nodeId}',
  summary: 'A node with its context and its result',
  tags,
  request: { params, query },
  responses: { 200: json(planNodeSchema, 'The node'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/plans/{id}/nodes/{nodeId}',
  summary: 'Change what a node says, what it waits for, or how it is checked',
  tags,
  request: { params, query, body: jsonBody(updateNodeSchema) },
  middleware: requireBody,
  responses: { 200: json(nodeChangedSchema, 'The version and the node'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/plans/{id}/nodes/{nodeId}',
  summary: 'Delete a node with all below it; 409 while one of them is running',
  tags,
  request: { params, query: query.extend({ baseVersion: wholeNumber(0).optional() }) },
  responses: { 200: json(planChangedSchema, 'The version and the nodes that are gone'), ...conflicts },
})

const move = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/move',
  summary: 'Move a node with all below it to another place',
  tags,
  request: { params, query, body: jsonBody(moveNodeSchema) },
  middleware: requireBody,
  responses: { 200: json(nodeChangedSchema, 'The version and the node'), ...conflicts },
})

const skip = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/skip',
  summary: 'Pass a node over: it counts as done for those that wait for it',
  tags,
  request: { params, query, body: optionalJsonBody(skipNodeSchema) },
  middleware: optionalBody,
  responses: someChanged,
})

const reset = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/reset',
  summary: 'Make a node pending again; what came of it is forgotten',
  tags,
  request: { params, query, body: optionalJsonBody(resetNodeSchema) },
  middleware: optionalBody,
  responses: someChanged,
})

const accept = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/accept',
  summary: 'Let a node that failed its checks count as done',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 200: json(planNodeSchema, 'The node'), ...conflicts },
})

export function planNodeRoutes(app: OpenAPIHono<AppEnv>, { store, planDeps: deps }: ServerDeps): void {
  app.openapi(add, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => addPlanNode(tx, deps, caller, id, input)), 201)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    return c.json(await readNode(store, caller, id, nodeId), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    const changed = await once(c, store, caller, (tx) => updatePlanNode(tx, deps, caller, id, nodeId, patch))
    return c.json(changed, 200)
  })

  app.openapi(remove, async (c) => {
    const { scope, baseVersion } = c.req.valid('query')
    const caller = callerIn(c, scope)
    const { id, nodeId } = c.req.valid('param')
    const changed = await once(c, store, caller, (tx) =>
      deletePlanNode(tx, deps, caller, id, nodeId, { baseVersion }),
    )
    return c.json(changed, 200)
  })

  app.openapi(move, async (c) => {
    const { scope, ...place } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    const changed = await once(c, store, caller, (tx) => movePlanNode(tx, deps, caller, id, nodeId, place))
    return c.json(changed, 200)
  })

  app.openapi(skip, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    const changed = await once(c, store, caller, (tx) => skipNode(tx, deps, caller, id, nodeId, wish))
    await stopLeft(deps, caller, id, nodeId)
    return c.json(changed, 200)
  })

  app.openapi(reset, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => resetNode(tx, deps, caller, id, nodeId, wish)), 200)
  })

  app.openapi(accept, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    const accepted = await once(c, store, caller, async (tx) => {
      const node = await acceptNode(tx, deps, caller, id, nodeId)
      return toPlanNode(node, await findNodePlace(tx, id, node))
    })
    return c.json(accepted, 200)
  })
}
