import { z } from 'zod'
import type { ToolSpec } from '../models/adapter.ts'
import type { Session } from '../protocol/session.ts'
import type { Tool } from '../tools/tool.ts'
import type { TurnInput } from './turn-input.ts'

/** The tools a session may use, by name: the order is part of what a provider caches. */
export function toolsOf(
  tools: readonly Tool[],
  { allowedTools }: Session,
  { mcpEnabled = true }: Pick<TurnInput, 'mcpEnabled'> = {},
  commandTools: readonly string[] = [],
): Tool[] {
  // an empty list means no limit; a command can only narrow what the session may use
  const isAllowed = (list: readonly string[] | undefined, name: string) =>
    !list?.length || list.includes(name)
  return tools
    .filter(({ name }) => isAllowed(allowedTools, name) && isAllowed(commandTools, name))
    .filter(({ name }) => mcpEnabled || !name.startsWith('mcp__'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function toSpecs(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>,
  }))
}
