import type { RouteContribution } from '../../../core/http/contributions.ts'
import type { McpParley } from './mcp-server-deps.ts'
import type { RegisterMcp } from './handler.ts'

/** The MCP server at `/mcp`, loaded with the first request: many servers never get one. */
export function mcpRoutes(parley: McpParley, register?: RegisterMcp): RouteContribution {
  return {
    name: 'mcp',
    browserHeaders: {
      request: ['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
      response: ['Mcp-Session-Id'],
    },
    register(host) {
      const load = async () => (await import('./handler.ts')).createHandler({ ...parley, ...host }, register)
      let handler: ReturnType<typeof load> | undefined
      host.addUndescribed(['GET', 'POST', 'DELETE'], '/mcp', async (c, caller) =>
        (await (handler ??= load()))(c, caller),
      )
    },
  }
}
