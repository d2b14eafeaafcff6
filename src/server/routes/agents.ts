import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  agentListQuerySchema,
  agentNameSchema,
  agentPageSchema,
  agentSchema,
  createAgentSchema,
  updateAgentSchema,
} from '../../protocol/agent.ts'
import { scopeSchema } from '../../protocol/names.ts'
import { createAgent, deleteAgent, getAgent, listAgents, updateAgent } from '../../room/agents.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['agents']
const params = z.object({ name: agentNameSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/agents',
  summary: 'Agents by name: those that are stored, those from files, and those that come with Parley',
  tags,
  request: { query: agentListQuerySchema },
  responses: { 200: json(agentPageSchema, 'A page of agents'), ...refusals },
})

const create = createRoute({
  method: 'post',
  path: '/api/agents',
  summary: 'Store an agent; it hides one of its name from a file, or one that comes with Parley',
  tags,
  request: { query, body: jsonBody(createAgentSchema) },
  middleware: requireBody,
  responses: { 201: json(agentSchema, 'The agent'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/agents/{name}',
  summary: 'An agent, wherever it comes from',
  tags,
  request: { params, query },
  responses: { 200: json(agentSchema, 'The agent'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/agents/{name}',
  summary: 'Change a stored agent; 409 for one that is not stored',
  tags,
  request: { params, query, body: jsonBody(updateAgentSchema) },
  middleware: requireBody,
  responses: { 200: json(agentSchema, 'The agent as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/agents/{name}',
  summary: 'Delete a stored agent; 409 for one that is not stored. Rooms go on without it',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

export function agentRoutes(app: OpenAPIHono<AppEnv>, { store, limits, agentDeps: deps }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, ...page } = c.req.valid('query')
    return c.json(await listAgents(deps, store, limits, callerIn(c, scope), page), 200)
  })

  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createAgent(deps, tx, caller, input)), 201)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getAgent(deps, store, caller, c.req.valid('param').name), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { name } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateAgent(deps, tx, caller, name, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { name } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteAgent(deps, tx, caller, name))
    return c.body(null, 204)
  })
}
