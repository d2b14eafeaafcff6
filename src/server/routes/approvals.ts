import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { decideApproval, getApproval, listApprovals } from '../../approvals/approvals.ts'
import {
  approvalListQuerySchema,
  approvalPageSchema,
  approvalSchema,
  decideApprovalSchema,
} from '../../protocol/approval.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['approvals']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/approvals',
  summary: 'What waits for a yes or no, newest first',
  tags,
  request: { query: approvalListQuerySchema },
  responses: { 200: json(approvalPageSchema, 'A page of approvals'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/approvals/{id}',
  summary: 'An approval',
  tags,
  request: { params, query },
  responses: { 200: json(approvalSchema, 'The approval'), ...refusals },
})

const decide = createRoute({
  method: 'post',
  path: '/api/approvals/{id}',
  summary: 'Approve or deny; can grant paths, change the call, and write a rule',
  tags,
  request: { params, query, body: jsonBody(decideApprovalSchema) },
  middleware: requireBody,
  responses: { 200: json(approvalSchema, 'The approval as it is now'), ...conflicts },
})

export function approvalRoutes(app: OpenAPIHono<AppEnv>, { store, limits }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, ...filter } = c.req.valid('query')
    return c.json(await listApprovals(store, limits, callerIn(c, scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getApproval(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(decide, async (c) => {
    const { scope, ...decision } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => decideApproval(tx, caller, id, decision)), 200)
  })
}
