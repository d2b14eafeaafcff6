/** What agents add to what crosses the wire. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const agentFacets = defineFacets({ folderFiles: { before: 'skills', list: ['agents'] } })
