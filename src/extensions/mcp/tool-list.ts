import { createHash } from 'node:crypto'
import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { toToolName } from './mcp-tool.ts'

/** The tools that a server lists, as far as they can be trusted. */
export interface ToolList {
  /** By name; those that are withheld are not among them. */
  offered: ListedTool[]
  withheld: { name: string; reason: string }[]
}

const maxTools = 500
const maxSchemaLength = 100_000

/**
 * Remembers the first list of a server. What a person agreed to must not become something else later: a tool that is
 * described differently, or that was not there at first, is withheld for as long as this process lives.
 */
export function createToolList(server: string): { update(tools: readonly ListedTool[]): ToolList } {
  let first: Map<string, string> | undefined
  return {
    update(tools) {
      const hashes = new Map(tools.slice(0, maxTools).map((tool) => [tool.name, hashOf(tool)]))
      first ??= hashes
      const known = first
      const withheld: ToolList['withheld'] = []
      const names = tools.map(({ name }) => toToolName(server, name))
      const offered = tools.toSorted(byName).filter((tool) => {
        const reason =
          names.filter((name) => name === toToolName(server, tool.name)).length > 1
            ? 'Another tool of the server has the same name here.'
            : !known.has(tool.name)
              ? tools.length > maxTools
                ? `The server has more than ${maxTools} tools.`
                : 'It was not there when the server was first asked.'
              : known.get(tool.name) !== hashOf(tool)
                ? 'It has changed since the server was first asked.'
                : JSON.stringify(tool.inputSchema).length > maxSchemaLength
                  ? `Its schema is longer than ${maxSchemaLength} characters.`
                  : undefined
        if (reason !== undefined) withheld.push({ name: tool.name, reason })
        return reason === undefined
      })
      return { offered, withheld }
    },
  }
}

const byName = (one: ListedTool, two: ListedTool) => (one.name < two.name ? -1 : one.name > two.name ? 1 : 0)

const hashOf = ({ name, description, inputSchema }: ListedTool) =>
  createHash('sha256')
    .update(JSON.stringify([name, description, inputSchema]))
    .digest('base64url')
