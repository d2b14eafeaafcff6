import { z } from 'zod'
import { groupLimit } from '../../core/chat/offer-tools.ts'
import { windowTokensOf } from '../../core/chat/turn-tools.ts'
import { defineExtension } from '../../core/extension.ts'
import {
  choice,
  filledText,
  flag,
  oneByOne,
  positiveCount,
  requiredGroup,
  text,
  textsByName,
} from '../../core/protocol/options.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { McpInput } from './facets.ts'
import { createMcpServers } from './mcp-servers.ts'
import { mcpOperations, type McpServices } from './operations.ts'
import { mcpRoutes } from './server/routes.ts'
import { mcpStore } from './store/slice.ts'
import type { HttpServer, McpServerSettings, StdioServer } from './server-settings.ts'

interface McpOptions {
  /** MCP servers whose tools models may use, by name. Each entry may start a program: never take one from a request. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends McpOptions {}
}

const serverShape = { disabled: flag, timeout: positiveCount }
const stdioServer = requiredGroup<StdioServer & McpServerSettings>(
  {
    type: choice('stdio'),
    command: filledText,
    args: z.array(text, { error: 'must be a list of texts' }),
    env: textsByName,
    cwd: filledText,
    ...serverShape,
  },
  ['command'],
)
const httpServer = requiredGroup<HttpServer & McpServerSettings>(
  { type: choice('http'), url: filledText, headers: textsByName, ...serverShape },
  ['type', 'url'],
)

/** Servers of others, whose tools models may use. */
export const mcp = defineExtension<McpServices>({
  name: 'mcp',
  store: mcpStore,
  secretOptions: ['mcpServers'],
  options: {
    mcpServers: z.record(
      z.string(),
      oneByOne<McpServerSettings>((server) =>
        isObject(server) && 'url' in server ? httpServer : stdioServer,
      ),
      { error: 'must be an object of MCP servers by name' },
    ),
  },
  create({ clock, logger, windows, version, traceContext }, { options }) {
    const servers = createMcpServers(options.mcpServers ?? {}, {
      clock,
      logger,
      version,
      traceContext,
    })
    const service: McpServices = {
      async readServers(scope) {
        const items = servers.status()
        const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
        const deferred = tokens > groupLimit(windowTokensOf(await windows.viewScope(scope)))
        return { items, deferred, nextCursor: null }
      },
    }
    return {
      service,
      operations: { mcp: { operations: mcpOperations, deps: service } },
      toolSource: async (session, { mcpEnabled = true }: McpInput) =>
        mcpEnabled ? servers.toolsFor(session) : [],
      routes: (running) => mcpRoutes(running),
      close: () => servers.close(),
    }
  },
})
