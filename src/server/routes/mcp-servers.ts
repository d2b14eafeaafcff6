import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { mcpServerListSchema, mcpServerQuerySchema } from '../../protocol/mcp.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const list = createRoute({
  method: 'get',
  path: '/api/mcp',
  summary: 'The MCP servers whose tools models may use, and how they are',
  tags: ['tools'],
  request: { query: mcpServerQuerySchema },
  responses: { 200: json(mcpServerListSchema, 'By name'), ...refusals },
})

export function mcpServerRoutes(app: OpenAPIHono<AppEnv>, { readMcpServers }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const { scope, seesAllScopes } = callerIn(c, c.req.valid('query').scope)
    const known = await readMcpServers(scope)
    // what a program complains about may tell of the machine
    const items = known.items.map(({ error, ...rest }) => ({
      ...rest,
      ...(seesAllScopes && error !== undefined && { error }),
    }))
    return c.json({ ...known, items }, 200)
  })
}
