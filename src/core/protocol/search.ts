import { z } from 'zod'
import { scopeSchema, wholeNumber } from './names.ts'

export const searchQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().min(1).max(200).meta({ description: 'Words that the message must hold, all of them' }),
  limit: wholeNumber(1).optional(),
})
export type SearchQuery = z.infer<typeof searchQuerySchema>

/** Of every answer that was searched for: what the search did not see. */
export const unsearchedFields = {
  indexing: z
    .object({ messages: z.int().positive().meta({ description: 'Stored, and not searched yet' }) })
    .optional()
    .meta({
      description:
        'What is still being taken into the search index, as after an import; missing when all was searched',
    }),
}
export interface Unsearched {
  indexing?: { messages: number }
}

/** The same in a sentence, for models and command lines; undefined when all was searched. */
export const unsearchedNote = ({ indexing }: Unsearched): string | undefined =>
  indexing &&
  `${indexing.messages.toLocaleString('en')} ${indexing.messages === 1 ? 'message is' : 'messages are'} still being indexed and ${indexing.messages === 1 ? 'was' : 'were'} not searched.`

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
    ...unsearchedFields,
  })
  .meta({ id: 'SearchPage', description: 'Newest first; a message that variants share is there once' })
export type SearchPage = z.infer<typeof searchPageSchema>
