import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { mcpFacets } from '../facets.ts'

export const mcpStore: StoreSlice = { name: 'mcp', facets: mcpFacets }
