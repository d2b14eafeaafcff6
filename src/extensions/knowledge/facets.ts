/** What knowledge adds to prompts. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const knowledgeFacets = defineFacets({ tags: ['document', 'knowledge'] })

declare module '../../core/protocol/facets.ts' {
  interface PromptTags {
    document: true
    knowledge: true
  }
}
