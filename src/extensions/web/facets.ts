/** What the web adds to what crosses the wire. */
import type { z } from 'zod'
import { defineFacets } from '../../core/protocol/facets.ts'
import { webSearchField } from './protocol/web-search.ts'

export const webFacets = defineFacets({
  groups: { after: 'plan', list: { web: true } },
  effective: { after: 'toolGroups', fields: { webSearch: webSearchField } },
})

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    web: true
  }
  interface EffectiveFacets {
    webSearch?: z.infer<typeof webSearchField>
  }
}
