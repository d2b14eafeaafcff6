import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { forceRelease, listLocks } from '../../documents/locks.ts'
import { lockedTypes, lockListQuerySchema, lockListSchema } from '../../protocol/lock.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, refusals } from './responses.ts'

const tags = ['locks']

const list = createRoute({
  method: 'get',
  path: '/api/locks',
  summary: 'What sessions hold of documents and todo lists',
  tags,
  request: { query: lockListQuerySchema },
  responses: { 200: json(lockListSchema, 'The locks'), ...refusals },
})

const release = createRoute({
  method: 'delete',
  path: '/api/locks/{type}/{id}',
  summary: 'Take a lock from the session that holds it',
  tags,
  request: {
    params: z.object({ type: z.enum(lockedTypes), id: idSchema }),
    query: z.strictObject({ scope: scopeSchema.optional() }),
  },
  responses: { 204: { description: 'Nobody holds it any more' }, ...conflicts },
})

export function lockRoutes(app: OpenAPIHono<AppEnv>, { store }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, session } = c.req.valid('query')
    return c.json(await listLocks(store, callerIn(c, scope), { session }), 200)
  })

  app.openapi(release, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    await once(c, store, caller, (tx) => forceRelease(tx, caller, c.req.valid('param')))
    return c.body(null, 204)
  })
}
