/** What clients of OpenAI keep with a session, which they call a conversation. */
import { z } from 'zod'
import { defineFacets } from '../../core/protocol/facets.ts'

const conversationMetadata = z
  .record(z.string(), z.string())
  .optional()
  .meta({ description: 'What clients of /v1/conversations keep with it' })

export const openAiFacets = defineFacets({
  session: { fields: { conversationMetadata }, own: ['conversationMetadata'] },
})

declare module '../../core/protocol/facets.ts' {
  interface SessionFacets {
    conversationMetadata?: Record<string, string>
  }
}
