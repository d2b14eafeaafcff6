import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { listModels } from '../../catalogue/models.ts'
import { deleteProvider, putProvider } from '../../catalogue/providers.ts'
import {
  modelListQuerySchema,
  modelListSchema,
  providerSchema,
  putProviderSchema,
} from '../../protocol/models.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { refuseInvalidSecret } from '../errors.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['models']
const params = z.object({ name: idSchema.meta({ example: 'openai' }) })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/models',
  summary: 'The models there are, and who provides them',
  tags,
  request: { query: modelListQuerySchema },
  responses: { 200: json(modelListSchema, 'Models and providers'), ...refusals },
})

const put = createRoute({
  method: 'put',
  path: '/api/providers/{name}',
  summary: 'Store the key or the address of a provider; needs a key that is not bound to scopes',
  tags,
  request: { params, query, body: jsonBody(putProviderSchema) },
  middleware: requireBody,
  responses: { 200: json(providerSchema, 'The provider as it is now, without its key'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/providers/{name}',
  summary: 'Forget what is stored for a provider; needs a key that is not bound to scopes',
  tags,
  request: { params, query },
  responses: { 204: { description: 'Forgotten' }, ...conflicts },
})

export function modelRoutes(app: OpenAPIHono<AppEnv>, { store, catalogueDeps: deps }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, refresh } = c.req.valid('query')
    return c.json(await listModels(deps, callerIn(c, scope), { refresh }), 200)
  })

  app.openapi(
    put,
    async (c) => {
      const caller = callerIn(c, c.req.valid('query').scope)
      const { name } = c.req.valid('param')
      const input = c.req.valid('json')
      return c.json(await once(c, store, caller, (tx) => putProvider(deps, tx, caller, name, input)), 200)
    },
    refuseInvalidSecret,
  )

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { name } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteProvider(deps, tx, caller, name))
    return c.body(null, 204)
  })
}
