import { z } from 'zod'
import { scopeSchema, wholeNumber } from './names.ts'

export const searchQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().min(1).max(200).meta({ description: 'Words that the message must hold, all of them' }),
  limit: wholeNumber(1).optional(),
})
export type SearchQuery = z.infer<typeof searchQuerySchema>

export const searchPageSchema = z
  .object({
    items: z.array(
      z.object({
        sessionId: z.string(),
        title: z.string().meta({ description: 'Of the session' }),
        messageId: z.string(),
        seq: z.int().positive(),
        snippet: z.string().meta({ description: 'Plain text around the first word that was found' }),
      }),
    ),
  })
  .meta({ id: 'SearchPage', description: 'Newest first; a message that variants share is there once' })
export type SearchPage = z.infer<typeof searchPageSchema>
