/** An MCP server in a process of its own that answers with what came along with a call. */
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const server = new McpServer({ name: 'trace', version: '1.0.0' })
server.registerTool(
  'look',
  { description: 'What came along', inputSchema: z.object({}) },
  (_input, { mcpReq }) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(mcpReq._meta ?? {}) }],
  }),
)
await server.connect(new StdioServerTransport())
