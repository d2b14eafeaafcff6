import { operations } from '../src/core/compose/operations.ts'
import { builtInRoutes, type RouteServices } from '../src/extensions/built-in-routes.ts'
import { createApp, createMetrics, type ServerDeps } from '../src/server/index.ts'
import { readVersion } from '../src/version.ts'

/** What `/openapi.json` answers. The app behind it has nothing to work with: its routes are there, and none is called. */
export async function toApiDocument(): Promise<unknown> {
  const deps: Partial<Record<keyof ServerDeps, unknown>> = {
    operations: Object.entries(operations).map(([name, entry]) => ({ name, operations: entry, deps: {} })),
    // nothing is requested, so nobody looks for services
    contributions: { routes: builtInRoutes({} as RouteServices), seals: [], metrics: [] },
    metrics: createMetrics(),
    version: readVersion(),
    limits: { bodyBytes: 0, jsonDepth: 0, pageSize: 0 },
  }
  const app = createApp(deps as unknown as ServerDeps, { apiKeys: [], allowedHosts: [], allowedOrigins: [] })
  const answer = await app.request('/openapi.json', { headers: { host: 'localhost' } })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}
