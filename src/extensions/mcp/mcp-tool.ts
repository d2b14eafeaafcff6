import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { compileObjectSchema } from '../../core/protocol/json-schema.ts'
import { defineTool, type Tool } from '../../core/tools/tool.ts'
import type { McpConnection } from './connection.ts'
import { readResult } from './tool-result.ts'
import { createHash } from 'node:crypto'

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

// what every provider takes
const maxLength = 64

/** `mcp__server__tool`. Server names have no `__` in them, so two servers never share a name. */
export function toToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return `${name.slice(0, maxLength - hash.length - 1)}_${hash}`
}
