import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { compileObjectSchema } from '../../core/protocol/json-schema.ts'
import { defineTool, type Tool } from '../../core/tools/tool.ts'
import type { McpConnection } from './connection.ts'
import { toToolName } from './tool-name.ts'
import { readResult } from './tool-result.ts'

const maxDescription = 8_000

/** A tool of an MCP server as one of ours. What it does is not known, so it counts as one that changes something. */
export function toTool(connection: McpConnection, listed: ListedTool, timeoutMs: number): Tool {
  const name = toToolName(connection.name, listed.name)
  return defineTool({
    name,
    group: 'mcp',
    isForeign: true,
    description: (listed.description ?? listed.title ?? listed.name).slice(0, maxDescription).toWellFormed(),
    input: compile(listed.inputSchema),
    inputSchema: listed.inputSchema,
    timeoutMs,
    access: () => ({ action: 'call', effect: 'write', resources: [name] }),
    execute: async (input, { signal }) => readResult(await connection.call(listed.name, input, signal)),
  })
}

/** A schema that cannot be read here leaves the check to the server, which makes it in any case. */
function compile(schema: Record<string, unknown>): z.ZodType<Record<string, unknown>> {
  try {
    return compileObjectSchema(schema, 'input schema') as z.ZodType<Record<string, unknown>>
  } catch {
    return z.record(z.string(), z.unknown())
  }
}
