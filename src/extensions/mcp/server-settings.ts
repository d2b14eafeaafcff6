/** A program that speaks MCP over its standard input and output. */
export interface StdioServer {
  type?: 'stdio'
  command: string
  args?: string[]
  /** Beside the few variables that every program needs; nothing else of the environment is handed on. */
  env?: Record<string, string>
  /** Default: the home folder. A project's folder could hold programs of strangers. */
  cwd?: string
}

export interface HttpServer {
  type: 'http'
  url: string
  headers?: Record<string, string>
}

/** As `mcpServers` has it. Comes from the user's own configuration, never from a request, an import or a model. */
export type McpServerSettings = (StdioServer | HttpServer) & {
  disabled?: boolean
  /** How long it may take to answer, in milliseconds; default 60,000. */
  timeout?: number
}

export const isHttp = (settings: McpServerSettings): settings is HttpServer & McpServerSettings =>
  'url' in settings

export const defaultTimeoutMs = 60_000

/** Variables that are not set: what names them would be used as it stands. */
export function missingVariables(settings: McpServerSettings): string[] {
  return [...JSON.stringify(settings).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!)
}
