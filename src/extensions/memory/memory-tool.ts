import { z } from 'zod'
import { invalidRequest } from '../../core/protocol/error.ts'
import { maxMemoryText, memoryLayers, type Memory, type MemoryLayer } from './protocol/memory.ts'
import { defineTool, type Tool, type ToolContext } from '../../core/tools/tool.ts'

/** What the tool does; sees the scope and the session of the call alone. */
export interface MemoryControl {
  search(context: ToolContext, query: { text: string; layer?: MemoryLayer; limit: number }): Promise<Memory[]>
  list(context: ToolContext, query: { layer?: MemoryLayer; limit: number }): Promise<Memory[]>
  remember(
    context: ToolContext,
    memory: { layer: MemoryLayer; text?: string; evidence?: string },
  ): Promise<{ id?: string }>
  forget(context: ToolContext, target: { id: string; layer: MemoryLayer }): Promise<void>
}

const inputSchema = z.strictObject({
  action: z.enum(['search', 'list', 'remember', 'forget']),
  query: z.string().min(1).max(500).optional(),
  layer: z.enum(memoryLayers).optional(),
  text: z.string().min(1).max(maxMemoryText).optional(),
  evidence: z.string().min(2).max(500).optional(),
  id: z.string().min(1).max(128).optional(),
  limit: z.int().min(1).max(50).optional(),
})
type Input = z.infer<typeof inputSchema>

const defaultLimit = 10

/** Lets the model read and add memories. */
export function createMemoryTool(control: MemoryControl): Tool {
  return defineTool({
    name: 'memory',
    group: 'memory',
    offered: 'whole',
    description:
      'What is remembered beyond this conversation. "search" takes a query, "list" shows the newest; both can be kept to a layer: ' +
      '"user" (about the user), "scope" (about this workspace) or "session" (about this conversation). ' +
      '"remember" stores text in layer "scope" or "session" (default). In layer "user" it takes "evidence" instead, a passage that the user ' +
      'wrote in this conversation, word for word: the sentence is stored as the user wrote it, after the user said yes. ' +
      '"forget" takes an id and, unless it is of this conversation, its layer.',
    input: inputSchema,
    isIdempotent: true,
    access: ({ action, layer = 'session' }) => ({
      action,
      // what outlives the conversation as the user's own, or is taken from others, is for a person to decide
      effect: needsYes(action, layer) ? 'write' : 'read',
      resources: [],
    }),
    execute: (input, context) => act(control, input, context),
  })
}

const needsYes = (action: Input['action'], layer: MemoryLayer) =>
  (action === 'remember' && layer === 'user') || (action === 'forget' && layer !== 'session')

async function act(control: MemoryControl, input: Input, context: ToolContext): Promise<unknown> {
  const { layer, limit = defaultLimit } = input
  switch (input.action) {
    case 'search':
      return describe(await control.search(context, { text: required(input, 'query'), layer, limit }))
    case 'list':
      return describe(await control.list(context, { layer, limit }))
    case 'remember': {
      const { text, evidence } = input
      const { id } = await control.remember(context, { layer: layer ?? 'session', text, evidence })
      return id === undefined
        ? 'It is known already, or was deleted by a person; nothing was stored.'
        : { id }
    }
    case 'forget': {
      const id = required(input, 'id')
      await control.forget(context, { id, layer: layer ?? 'session' })
      return { id, forgotten: true }
    }
  }
}

function required(input: Input, field: 'query' | 'id'): string {
  const value = input[field]
  if (value === undefined) throw invalidRequest(`"${input.action}" needs "${field}".`)
  return value
}

const describe = (memories: Memory[]) =>
  memories.length === 0
    ? 'Nothing is remembered of it.'
    : memories.map(({ id, layer, type, text, author, origin, updatedAt }) => ({
        id,
        layer,
        type,
        text,
        author,
        origin,
        updatedAt,
      }))
