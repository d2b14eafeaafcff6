import { z } from 'zod'
import { idSchema, scopeSchema, timestampSchema, pageFields } from '../../../core/protocol/names.ts'
import { wordings } from '../../../core/protocol/wordings.ts'

export const memoryLayers = ['user', 'scope', 'session'] as const
export type MemoryLayer = (typeof memoryLayers)[number]

export const memoryTypes = ['profile', 'narrative', 'foresight', 'document', 'event_log'] as const
export type MemoryType = (typeof memoryTypes)[number]

export const maxMemoryText = 2_000

const textSchema = z
  .string()
  .max(maxMemoryText)
  .refine((text) => text.trim() !== '', wordings.not_blank)

/** Where a memory comes from. */
export const memorySourceSchema = z
  .object({
    sessionId: z.string().optional(),
    messageId: z.string().optional().meta({ description: 'The answer of the turn' }),
    messageSeq: z.int().optional(),
    fromSeq: z.int().optional().meta({ description: 'Where the stretch begins that was summed up' }),
    runId: z.string().optional(),
    documentId: z.string().optional(),
  })
  .meta({ id: 'MemorySource' })
export type MemorySource = z.infer<typeof memorySourceSchema>

export const memorySchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    layer: z.enum(memoryLayers),
    type: z.enum(memoryTypes),
    text: z.string(),
    sessionId: idSchema.optional().meta({ description: 'Of layer session: the one that it is about' }),
    evidence: z.string().optional().meta({ description: 'The passage that it was made of, word for word' }),
    source: memorySourceSchema,
    author: z.enum(['model', 'user']),
    origin: z.enum(['user', 'assistant']).meta({ description: 'Whose words it comes from' }),
    isEdited: z.boolean().meta({ description: 'A person has changed it: no model does after that' }),
    status: z.enum(['active', 'deleted']),
    canRestore: z.boolean().meta({ description: 'There is a deletion or a change to undo' }),
    refCount: z.int(),
    lastUsedAt: timestampSchema.optional(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Memory' })
export type Memory = z.infer<typeof memorySchema>

const listedMemorySchema = memorySchema
  .extend({
    inMessage: z
      .enum(['used', 'made'])
      .optional()
      .meta({ description: 'With message: given to that turn, or learned from it' }),
  })
  .meta({ id: 'ListedMemory' })
export type ListedMemory = z.infer<typeof listedMemorySchema>

export const memoryPageSchema = z
  .object({ items: z.array(listedMemorySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'MemoryPage' })
export type MemoryPage = z.infer<typeof memoryPageSchema>

export const memoryListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  layer: z.enum(memoryLayers).optional(),
  type: z.enum(memoryTypes).optional(),
  session: idSchema.optional().meta({ description: 'Those about a session, and those learned in it' }),
  status: z.enum(['active', 'deleted']).optional().meta({ description: 'Default active' }),
  q: z.string().min(1).max(500).optional().meta({ description: 'What it is about; the best match first' }),
  message: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Those that the turn of this answer was given, and those it left' }),
  ...pageFields,
})
export type MemoryListQuery = z.infer<typeof memoryListQuerySchema>

export const createMemorySchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    layer: z.enum(memoryLayers),
    type: z.enum(memoryTypes).optional().meta({
      description: 'Default: profile of a user, narrative of a scope, event_log of a session',
    }),
    text: textSchema,
    sessionId: idSchema.optional().meta({ description: 'Needed by layer session, and by no other' }),
  })
  .superRefine(({ layer, type, sessionId }, context) => {
    if ((layer === 'session') !== (sessionId !== undefined))
      context.addIssue({
        code: 'custom',
        path: ['sessionId'],
        message: 'goes with layer "session", and only with it',
        params: { rule: 'session_layer' },
      })
    if (type === 'profile' && layer !== 'user')
      context.addIssue({
        code: 'custom',
        path: ['type'],
        message: '"profile" goes with layer "user" only',
        params: { rule: 'profile_layer' },
      })
  })
  .meta({ id: 'CreateMemory' })
export type CreateMemory = z.infer<typeof createMemorySchema>

export const updateMemorySchema = z
  .strictObject({ scope: scopeSchema.optional(), text: textSchema })
  .meta({ id: 'UpdateMemory' })
export type UpdateMemory = z.infer<typeof updateMemorySchema>

declare module '../../../core/protocol/facets.ts' {
  interface Wordings {
    session_layer: true
    profile_layer: true
  }
}
