import { estimateTokenCount } from 'tokenx'
import type { Logger } from 'pino'
import type { McpServerStatus } from './protocol/mcp.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Tool } from '../../core/tools/tool.ts'
import { createConnection, type McpConnection } from './connection.ts'
import { deferTools } from './deferred-tools.ts'
import { toTool } from './mcp-tool.ts'
import { defaultTimeoutMs, isHttp, type McpServerSettings } from './server-settings.ts'
import { createToolList } from './tool-list.ts'

/** The MCP servers of one Parley, and what they offer. */
export interface McpServers {
  /**
   * Tools of the servers that the session may use, in a stable order; servers that were never needed are started. What
   * would take more than a tenth of the window is offered by two tools that find and call the others. Never throws.
   */
  toolsFor(
    session: Pick<Session, 'allowedMcpServerIds' | 'allowedTools'>,
    windowTokens: number,
  ): Promise<readonly Tool[]>
  status(): McpServerStatus[]
  /** Whether those two are offered in a window of this size, as far as the servers are known. */
  isDeferred(windowTokens: number): boolean
  close(): Promise<void>
}

interface Entry {
  connection: McpConnection
  transport: McpServerStatus['transport']
  tools: readonly Tool[]
  tokens: number
  withheld: { name: string; reason: string }[]
}

const deferredShare = 0.1

export function createMcpServers(
  settings: Readonly<Record<string, McpServerSettings>>,
  deps: { clock: Clock; logger: Logger; version: string },
): McpServers {
  const entries = Object.keys(settings)
    .sort()
    .map((name) => createEntry(name, settings[name]!, deps))
  const deferred = new WeakMap<readonly Tool[], Tool[]>()
  let lastAll: readonly Tool[] = []

  /** The same list again while nothing changed: what is made of it is kept with it. */
  const keep = (tools: readonly Tool[]) => {
    const isSame = tools.length === lastAll.length && tools.every((tool, index) => tool === lastAll[index])
    if (!isSame) lastAll = tools
    return lastAll
  }

  return {
    async toolsFor({ allowedMcpServerIds: allowed, allowedTools }, windowTokens) {
      // an empty list means no limit, as it does for tools
      const chosen = entries.filter(({ connection: { name } }) => !allowed?.length || allowed.includes(name))
      await Promise.all(chosen.map(({ connection }) => connection.ready()))
      const tools = chosen.flatMap((entry) => entry.tools)
      // a session that names its tools has few of them
      if (allowedTools?.length || !takeTooMuch(chosen, windowTokens)) return tools
      const all = keep(tools)
      if (!deferred.has(all)) deferred.set(all, deferTools(all))
      return deferred.get(all)!
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
    isDeferred: (windowTokens) => takeTooMuch(entries, windowTokens),
    async close() {
      await Promise.all(entries.map(({ connection }) => connection.close()))
    },
  }
}

function createEntry(
  name: string,
  settings: McpServerSettings,
  deps: { clock: Clock; logger: Logger; version: string },
): Entry {
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
        entry.tokens = entry.tools.reduce((sum, tool) => sum + tokensOf(tool), 0)
      },
    }),
    transport: isHttp(settings) ? 'http' : 'stdio',
    tools: [],
    tokens: 0,
    withheld: [],
  }
  return entry
}

const takeTooMuch = (entries: readonly Entry[], windowTokens: number) =>
  entries.reduce((sum, { tokens }) => sum + tokens, 0) > windowTokens * deferredShare

const tokensOf = ({ name, description, inputSchema }: Tool) =>
  estimateTokenCount(JSON.stringify({ name, description, inputSchema }))
