import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { agentFacets } from '../facets.ts'
import { agentQueries, type AgentQueries } from './agents.ts'
import type { AgentTables } from './tables.ts'

export const agentsStore: StoreSlice = {
  name: 'agents',
  facets: agentFacets,
  migrations: 'src/extensions/agents/store/migrations',
  sharedThrough: 17,
  queries: [agentQueries],
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends AgentQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends AgentTables {}
}
