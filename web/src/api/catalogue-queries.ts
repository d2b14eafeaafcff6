/** Names of what there is to choose from. */
export const catalogueKeys = {
  models: (filter: object = {}) => ['models', filter] as const,
  settings: (filter: object = {}) => ['settings', filter] as const,
  catalogue: (kind: string, filter: object = {}) => ['catalogue', kind, filter] as const,
  mcp: (filter: object = {}) => ['mcp', filter] as const,
}
