/** What MCP servers add to inputs. */
export interface McpInput {
  /** False: the turn has no tools of MCP servers. */
  mcpEnabled?: boolean
}

declare module '../../core/chat/turn-input.ts' {
  interface InputFacets extends McpInput {}
}
