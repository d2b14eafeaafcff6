import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { scopeSchema } from '../../protocol/names.ts'
import { settingsViewSchema, updateSettingsSchema } from '../../protocol/settings.ts'
import { getScopeSettings, updateScopeSettings } from '../../sessions/scope-settings.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, problem, refusals } from './responses.ts'

const tags = ['settings']
const query = z.strictObject({ scope: scopeSchema.optional() })

const get = createRoute({
  method: 'get',
  path: '/api/settings',
  summary: 'What holds in a scope for sessions that say nothing else',
  tags,
  request: { query },
  responses: { 200: json(settingsViewSchema, 'The settings'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/settings',
  summary: 'Set the model or the window of a scope; turns that begin later use it',
  tags,
  request: { query, body: jsonBody(updateSettingsSchema) },
  middleware: requireBody,
  responses: {
    200: json(settingsViewSchema, 'The settings as they are now'),
    ...conflicts,
    503: problem('There is no key for this model'),
  },
})

export function settingsRoutes(app: OpenAPIHono<AppEnv>, { store, catalogueDeps }: ServerDeps): void {
  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getScopeSettings(catalogueDeps, store, caller), 200)
  })

  app.openapi(update, async (c) => {
    const patch = c.req.valid('json')
    const caller = callerIn(c, patch.scope ?? c.req.valid('query').scope)
    const settings = await once(c, store, caller, (tx) =>
      updateScopeSettings(catalogueDeps, tx, caller, patch),
    )
    return c.json(settings, 200)
  })
}
