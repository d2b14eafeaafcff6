import { z } from 'zod'
import { scopeSchema } from '../../../core/protocol/names.ts'

export const mcpServerStatusSchema = z
  .object({
    name: z.string(),
    transport: z.enum(['stdio', 'http']).meta({ description: 'A program here, or a server elsewhere' }),
    state: z.enum(['disabled', 'idle', 'starting', 'ready', 'failed']).meta({
      description: 'idle: not needed yet. failed: tried again when it is needed and its wait has ended',
    }),
    error: z
      .string()
      .optional()
      .meta({ description: 'Why it failed; for keys that are not bound to scopes' }),
    tools: z.array(z.object({ name: z.string(), description: z.string() })),
    tokens: z
      .int()
      .nonnegative()
      .meta({ description: 'What the descriptions of its tools take of a window, as estimated' }),
    withheld: z.array(z.object({ name: z.string(), reason: z.string() })).meta({
      description: 'Tools that are not offered, such as those that changed since they were first seen',
    }),
  })
  .meta({ id: 'McpServerStatus' })
export type McpServerStatus = z.infer<typeof mcpServerStatusSchema>

export const mcpServerListSchema = z
  .object({
    items: z.array(mcpServerStatusSchema),
    deferred: z.boolean().meta({
      description:
        'Whether the tools are offered by a line each, through use_tool, in sessions that have the window of the scope ' +
        'and may use every server',
    }),
    nextCursor: z.null(),
  })
  .meta({ id: 'McpServerList' })
export type McpServerList = z.infer<typeof mcpServerListSchema>

export const mcpServerQuerySchema = z.strictObject({ scope: scopeSchema.optional() })
