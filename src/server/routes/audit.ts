import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { auditPageSchema, auditQuerySchema } from '../../protocol/audit.ts'
import { listAudit } from '../../sessions/audit.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const list = createRoute({
  method: 'get',
  path: '/api/audit',
  summary: 'Who did what, newest first; also to sessions that are gone',
  tags: ['audit'],
  request: { query: auditQuerySchema },
  responses: { 200: json(auditPageSchema, 'A page of the audit'), ...refusals },
})

export function auditRoutes(app: OpenAPIHono<AppEnv>, { store, limits }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    return c.json(await listAudit(store, limits, callerIn(c, filter.scope), filter), 200)
  })
}
