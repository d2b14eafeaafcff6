import type { OpenAPIHono } from '@hono/zod-openapi'
import type { AppEnv, ServerDeps } from '../../../server/environment.ts'
import type { RegisterMcp } from './handler.ts'

/** Loaded with the first request: many servers never get one. */
export function mcpRoutes(app: OpenAPIHono<AppEnv>, deps: ServerDeps, register?: RegisterMcp): void {
  const load = async () => (await import('./handler.ts')).createHandler(deps, register)
  let handler: ReturnType<typeof load> | undefined
  app.on(['GET', 'POST', 'DELETE'], '/mcp', async (c) => (await (handler ??= load()))(c))
}
