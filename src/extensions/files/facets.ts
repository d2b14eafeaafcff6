/** What files add to what crosses the wire. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const fileFacets = defineFacets({ groups: { before: 'document', list: { workspace: true } } })

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    workspace: true
  }
}
