import { z } from 'zod'
import { labelSchema, scopeSchema, timestampSchema, pageFields } from './names.ts'
import { wordings } from './wordings.ts'

/** What a thread is called in URLs and on disk. */
export const threadSlugSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, wordings.slug)

const reasonSchema = z.string().trim().min(1).max(1_000)

/** Sessions that belong together. */
export const threadSchema = z
  .object({
    slug: threadSlugSchema,
    title: labelSchema,
    sessionCount: z.int().nonnegative(),
    archivedAt: timestampSchema.optional(),
    archivedBy: z.string().optional(),
    archiveReason: z.string().optional(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Thread' })
export type Thread = z.infer<typeof threadSchema>

export const createThreadSchema = z
  .strictObject({ scope: scopeSchema.optional(), slug: threadSlugSchema, title: labelSchema.optional() })
  .meta({ id: 'CreateThread' })
export type CreateThread = z.infer<typeof createThreadSchema>

export const updateThreadSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: labelSchema.optional(),
    archived: z.boolean().optional(),
    reason: reasonSchema.optional().meta({ description: 'Why; archiving needs one' }),
  })
  .meta({ id: 'UpdateThread' })
export type UpdateThread = z.infer<typeof updateThreadSchema>

export const threadListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  archived: z.enum(['true', 'false', 'all']).optional().meta({ description: 'Default false' }),
  ...pageFields,
})

export type ThreadListQuery = z.infer<typeof threadListQuerySchema>

export const threadPageSchema = z
  .object({ items: z.array(threadSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ThreadPage' })
export type ThreadPage = z.infer<typeof threadPageSchema>
