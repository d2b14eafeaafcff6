import { z } from 'zod'
import { scopeSchema, timestampSchema, wholeNumber } from './names.ts'

/** Something that happened in a scope, with its number: numbers grow by one and are never used twice. */
export const scopeEventSchema = z
  .object({
    seq: z.int().positive(),
    type: z.string(),
    sessionId: z.string().optional(),
    data: z.record(z.string(), z.unknown()),
    createdAt: timestampSchema,
  })
  .meta({ id: 'ScopeEvent' })
export type ScopeEvent = z.infer<typeof scopeEventSchema>

export const eventQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  after: wholeNumber(0).optional().meta({
    description: 'The last number that was seen. Default: all that is kept; on a socket: from now on',
  }),
  limit: wholeNumber(1).optional(),
})

export const eventPageSchema = z
  .object({
    items: z.array(scopeEventSchema),
    first: z.int().meta({ description: 'The oldest number that is kept; 0 when there is none' }),
    last: z.int().meta({ description: 'The newest number there is; 0 before anything happened' }),
    nextCursor: z.string().nullable().meta({ description: 'As "after", leads to the next page' }),
  })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof eventPageSchema>
