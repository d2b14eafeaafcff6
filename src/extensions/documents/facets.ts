/** What documents and todo lists add to what crosses the wire and to prompts. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const documentFacets = defineFacets({
  groups: { before: 'search', list: { document: true, todo: true } },
  tags: ['active_locks'],
  snapshots: { document: 1 },
})

export interface HeldResource {
  resource: string
  holder: string
  reason?: string
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    /** What the session holds, and what others hold of the things it changed. */
    locks?: HeldResource[]
  }
}

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    document: true
    todo: true
  }
  interface PromptTags {
    active_locks: true
  }
}
