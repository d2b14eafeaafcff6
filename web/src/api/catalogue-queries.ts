import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
/** Names of what there is to choose from. */
export const catalogueKeys = {
  models: (filter: object = {}) => ['models', filter] as const,
  settings: (filter: object = {}) => ['settings', filter] as const,
  catalogue: (kind: string, filter: object = {}) => ['catalogue', kind, filter] as const,
  mcp: (filter: object = {}) => ['mcp', filter] as const,
}

type Scope = string | undefined

export const modelsQuery = ({ models }: Pick<ParleyClient, 'models'>, scope: Scope) =>
  queryOptions({ queryKey: catalogueKeys.models({ scope }), queryFn: () => models.list({ scope }) })

export const settingsQuery = ({ settings }: Pick<ParleyClient, 'settings'>, scope: Scope) =>
  queryOptions({ queryKey: catalogueKeys.settings({ scope }), queryFn: () => settings.get({ scope }) })

export const toolsQuery = ({ catalogue }: Pick<ParleyClient, 'catalogue'>, scope: Scope) =>
  queryOptions({
    queryKey: catalogueKeys.catalogue('tools', { scope }),
    queryFn: () => catalogue.tools({ scope }),
  })

export const mcpQuery = ({ mcp }: Pick<ParleyClient, 'mcp'>, scope: Scope) =>
  queryOptions({ queryKey: catalogueKeys.mcp({ scope }), queryFn: () => mcp.servers({ scope }) })
