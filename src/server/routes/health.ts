import type { OpenAPIHono } from '@hono/zod-openapi'
import { ParleyError } from '../../core/protocol/error.ts'
import type { AppEnv } from '../../core/http/request-environment.ts'
import type { ServerDeps } from '../server-deps.ts'

/** For operators and their tools: alive, ready to work, and how it is doing. */
export function healthRoutes(app: OpenAPIHono<AppEnv>, { store, metrics, version }: ServerDeps): void {
  app.get('/healthz', (c) => c.json({ status: 'ok', version }))

  app.get('/readyz', async (c) => {
    await store.ping()
    return c.json({ status: 'ready', version, store: store.backend })
  })

  app.get('/metrics', async (c) => {
    // they cover the whole server
    if (c.get('identity').scopes)
      throw new ParleyError('forbidden', 'A key that is bound to scopes cannot read the metrics.')
    c.header('Content-Type', metrics.registry.contentType)
    return c.body(await metrics.registry.metrics())
  })
}
