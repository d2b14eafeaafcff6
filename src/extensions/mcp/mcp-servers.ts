import { sumSizes } from '../../core/chat/offer-tools.ts'
import type { McpServerStatus } from './protocol/mcp.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Tool } from '../../core/tools/tool.ts'
import { createConnection, type ConnectionDeps, type McpConnection } from './connection.ts'
import { toTool } from './mcp-tool.ts'
import { defaultTimeoutMs, isHttp, type McpServerSettings } from './server-settings.ts'
import { createToolList } from './tool-list.ts'

/** The MCP servers of one Parley, and what they offer. */
export interface McpServers {
  /**
   * Tools of the servers that the session may use, in a stable order; servers that were never needed are started. Never
   * throws.
   */
  toolsFor(session: Pick<Session, 'allowedMcpServerIds'>): Promise<readonly Tool[]>
  status(): McpServerStatus[]
  close(): Promise<void>
}

type ServersDeps = Omit<ConnectionDeps, 'onTools'>

interface Entry {
  connection: McpConnection
  transport: McpServerStatus['transport']
  tools: readonly Tool[]
  tokens: number
  withheld: { name: string; reason: string }[]
}

export function createMcpServers(
  settings: Readonly<Record<string, McpServerSettings>>,
  deps: ServersDeps,
): McpServers {
  const entries = Object.keys(settings)
    .sort()
    .map((name) => createEntry(name, settings[name]!, deps))

  return {
    async toolsFor({ allowedMcpServerIds: allowed }) {
      // an empty list means no limit, as it does for tools
      const chosen = entries.filter(({ connection: { name } }) => !allowed?.length || allowed.includes(name))
      await Promise.all(chosen.map(({ connection }) => connection.ready()))
      return chosen.flatMap((entry) => entry.tools)
    },
    status: () =>
      entries.map(({ connection, transport, tools, tokens, withheld }) => ({
        name: connection.name,
        transport,
        ...connection.state(),
        tools: tools.map(({ name, description }) => ({ name, description })),
        tokens,
        withheld,
      })),
    async close() {
      await Promise.all(entries.map(({ connection }) => connection.close()))
    },
  }
}

function createEntry(name: string, settings: McpServerSettings, deps: ServersDeps): Entry {
  const list = createToolList(name)
  let listed: string | undefined
  const entry: Entry = {
    connection: createConnection(name, settings, {
      ...deps,
      onTools(given) {
        const { offered, withheld } = list.update(given)
        const now = JSON.stringify(offered.map((tool) => tool.name))
        entry.withheld = withheld
        if (withheld.length > 0)
          deps.logger.warn({ server: name, withheld }, 'tools of an MCP server are withheld')
        // those that are as they were stay the same objects: their schemas are turned into prompts only once
        if (now === listed) return
        listed = now
        const timeoutMs = settings.timeout ?? defaultTimeoutMs
        entry.tools = offered.map((tool) => toTool(entry.connection, tool, timeoutMs))
        entry.tokens = sumSizes(entry.tools)
      },
    }),
    transport: isHttp(settings) ? 'http' : 'stdio',
    tools: [],
    tokens: 0,
    withheld: [],
  }
  return entry
}
