import { z } from 'zod'
import { describeIssues } from '../../core/protocol/issues.ts'
import { defineTool, type Tool } from '../../core/tools/tool.ts'

const maxFound = 20
const maxListed = 200

/** In place of tools whose descriptions would fill the window: one finds them, the other calls them. */
export function deferTools(tools: readonly Tool[]): Tool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return [createSearch(tools), createCall(byName)]
}

function createSearch(tools: readonly Tool[]): Tool {
  return defineTool({
    name: 'mcp_search',
    group: 'mcp',
    description:
      `Finds tools of MCP servers by words of their names and descriptions; ${tools.length} are there. ` +
      'Answers with their input schemas, for mcp_call. An empty query lists all names.',
    input: z.strictObject({ query: z.string().max(200) }),
    isIdempotent: true,
    async execute({ query }) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean)
      if (words.length === 0) return { names: tools.slice(0, maxListed).map(({ name }) => name) }
      const ranked = tools
        .map((tool) => ({ tool, hits: countHits(tool, words) }))
        .filter(({ hits }) => hits > 0)
        .sort((one, two) => two.hits - one.hits)
      return {
        tools: ranked
          .slice(0, maxFound)
          .map(({ tool: { name, description, inputSchema } }) => ({ name, description, inputSchema })),
        ...(ranked.length > maxFound && { more: ranked.length - maxFound }),
      }
    },
  })
}

const countHits = ({ name, description }: Tool, words: string[]) => {
  const text = `${name} ${description}`.toLowerCase()
  return words.filter((word) => text.includes(word)).length
}

function createCall(byName: ReadonlyMap<string, Tool>): Tool {
  return defineTool({
    name: 'mcp_call',
    group: 'mcp',
    description:
      'Calls a tool of an MCP server that mcp_search found, with arguments that fit its input schema.',
    input: z.strictObject({
      name: z.string().min(1).max(64),
      arguments: z.record(z.string(), z.unknown()).optional(),
    }),
    timeoutMs: Math.max(...[...byName.values()].map(({ timeoutMs }) => timeoutMs ?? 0)),
    access: ({ name }) => ({ action: 'call', effect: 'write', resources: [name], handsOnTo: name }),
    async execute({ name, arguments: given = {} }, context) {
      const tool = byName.get(name)
      if (!tool) throw new Error(`There is no MCP tool "${name}". Look for it with mcp_search.`)
      const result = tool.input.safeParse(given)
      if (!result.success) throw new Error(`The arguments do not fit: ${describeIssues(result.error, given)}`)
      return tool.execute(result.data, context)
    },
  })
}
