import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { markDone, messageNode, stopLeft, stopNode } from '../../plan/node-control.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  doneNodeSchema,
  messageNodeSchema,
  nodeChangedSchema,
  nodeParam,
  planNodeSchema,
  stopNodeSchema,
} from '../../protocol/plan-node.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody } from './responses.ts'

const tags = ['plans']
const params = z.object({ id: idSchema, nodeId: nodeParam })
const query = z.strictObject({ scope: scopeSchema.optional() })

const stop = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/stop',
  summary: 'End what is being done for a node; the run goes on with what does not wait for it',
  tags,
  request: { params, query, body: optionalJsonBody(stopNodeSchema) },
  middleware: optionalBody,
  responses: { 200: json(planNodeSchema, 'The node; it has failed as soon as it has ended'), ...conflicts },
})

const message = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/message',
  summary: 'Say something to the session that does a node',
  tags,
  request: { params, query, body: jsonBody(messageNodeSchema) },
  middleware: requireBody,
  responses: { 200: json(planNodeSchema, 'The node'), ...conflicts },
})

const done = createRoute({
  method: 'post',
  path: '/api/plans/{id}/nodes/{nodeId}/done',
  summary: 'Say that a person did a node; the note is its result',
  tags,
  request: { params, query, body: jsonBody(doneNodeSchema) },
  middleware: requireBody,
  responses: { 200: json(nodeChangedSchema, 'The version and the node'), ...conflicts },
})

export function planNodeControlRoutes(app: OpenAPIHono<AppEnv>, { store, planDeps: deps }: ServerDeps): void {
  app.openapi(stop, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    // saying it twice is told apart by the node itself
    readKey(c)
    return c.json(await stopNode(deps, caller, id, nodeId), 200)
  })

  app.openapi(message, async (c) => {
    const { scope, ...said } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => messageNode(tx, deps, caller, id, nodeId, said)), 200)
  })

  app.openapi(done, async (c) => {
    const { scope, ...said } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, nodeId } = c.req.valid('param')
    const changed = await once(c, store, caller, (tx) => markDone(tx, deps, caller, id, nodeId, said))
    await stopLeft(deps, caller, id, nodeId)
    return c.json(changed, 200)
  })
}
