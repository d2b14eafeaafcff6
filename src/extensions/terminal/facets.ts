/** What commands add to what crosses the wire. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const terminalFacets = defineFacets({
  // a shell is near to everything: it is there when somebody wants it
  groups: { before: 'task', list: { terminal: false } },
  commandTools: ['terminal'],
})

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    terminal: true
  }
}
