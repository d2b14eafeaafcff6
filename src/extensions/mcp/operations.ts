import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { mcpServerListSchema, mcpServerQuerySchema, type McpServerList } from './protocol/mcp.ts'

export interface McpServices {
  readServers(scope: string): Promise<McpServerList>
}

const mcp = operationsOf<McpServices>('tools')

export const mcpOperations = {
  servers: mcp.read('/api/mcp', {
    summary: 'List the MCP servers whose tools models may use, and their state',
    input: mcpServerQuerySchema,
    output: mcpServerListSchema,
    returns: 'By name',
    async run({ deps, caller: { scope, seesAllScopes } }) {
      const known = await deps.readServers(scope)
      // error messages of a program may reveal details of the machine
      const items = known.items.map(({ error, ...rest }) => ({
        ...rest,
        ...(seesAllScopes && error !== undefined && { error }),
      }))
      return { ...known, items }
    },
  }),
}

/** The MCP servers that Parley itself uses; they are configured in the user's own file and nowhere else. */
export type Mcp = Calls<typeof mcpOperations>
