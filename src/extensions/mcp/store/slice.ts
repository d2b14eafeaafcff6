import type { StoreSlice } from '../../../core/store/slice.ts'

export const mcpStore: StoreSlice = { name: 'mcp', facets: ['allowedMcpServerIds'] }
