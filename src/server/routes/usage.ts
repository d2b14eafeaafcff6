import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { idSchema } from '../../protocol/names.ts'
import {
  sessionUsageQuerySchema,
  sessionUsageSchema,
  usagePageSchema,
  usageQuerySchema,
} from '../../protocol/usage.ts'
import { getSessionUsage, getUsage } from '../../sessions/usage.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const tags = ['usage']

const ofScope = createRoute({
  method: 'get',
  path: '/api/usage',
  summary: 'What models were asked and what it took, by day, model and kind of run',
  tags,
  request: { query: usageQuerySchema },
  responses: { 200: json(usagePageSchema, 'Totals of each day, and of all'), ...refusals },
})

const ofSession = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/usage',
  summary: 'What models used for a session so far, and how full its window is',
  tags,
  request: { params: z.object({ id: idSchema }), query: sessionUsageQuerySchema },
  responses: { 200: json(sessionUsageSchema, 'Totals of the session'), ...refusals },
})

export function usageRoutes(app: OpenAPIHono<AppEnv>, { store, windows, clock }: ServerDeps): void {
  app.openapi(ofScope, async (c) => {
    const query = c.req.valid('query')
    return c.json(await getUsage(store, clock, callerIn(c, query.scope), query), 200)
  })

  app.openapi(ofSession, async (c) => {
    const { scope, tasks } = c.req.valid('query')
    const { id } = c.req.valid('param')
    const options = { tasks: tasks === 'true' }
    return c.json(await getSessionUsage(store, windows, callerIn(c, scope), id, options), 200)
  })
}
