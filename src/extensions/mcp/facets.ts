/** What MCP servers add to records of the core: to sessions, to chats and inputs. */
import { z } from 'zod'
import { defineFacets } from '../../core/protocol/facets.ts'
import { nameListSchema } from '../../core/protocol/names.ts'

export interface McpInput {
  /** False: the turn has no tools of MCP servers. */
  mcpEnabled?: boolean
}

export const mcpFacets = defineFacets({
  groups: { list: { mcp: true } },
  toolPrefixes: { mcp__: 'tools of MCP servers' },
  session: {
    fields: { allowedMcpServerIds: nameListSchema.optional() },
    limits: ['allowedMcpServerIds'],
  },
  patch: { after: 'allowedSkills', fields: { allowedMcpServerIds: nameListSchema.nullish() } },
  chat: {
    after: 'runRefs',
    fields: { mcpEnabled: z.boolean().optional() },
    toInput: ({ mcpEnabled }) => ({ mcpEnabled }),
  },
})

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    mcp: true
  }
  interface SessionFacets {
    allowedMcpServerIds?: string[]
  }
  interface PatchFacets {
    allowedMcpServerIds?: string[] | null
  }
  interface ChatFacets extends McpInput {}
  interface InputFacets extends McpInput {}
}
