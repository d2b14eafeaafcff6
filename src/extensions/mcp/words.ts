/** What MCP servers bring into what crosses the wire. */
export const mcpWords = {
  groups: { mcp: true },
  toolPrefixes: { mcp__: 'tools of MCP servers' },
} as const
