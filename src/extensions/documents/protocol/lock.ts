import { z } from 'zod'
import { idSchema, scopeSchema, timestampSchema } from '../../../core/protocol/names.ts'

export const lockedTypes = ['document', 'todo_list'] as const
export type LockedType = (typeof lockedTypes)[number]

export const reasonSchema = z.string().min(1).max(500)

export const lockSchema = z
  .object({
    resourceType: z.enum(lockedTypes),
    resourceId: idSchema,
    title: z.string().meta({ description: 'Of what is locked' }),
    sessionId: idSchema,
    reason: z.string().optional(),
    fence: z.int().positive().meta({ description: 'Grows with every taking of the lock' }),
    since: timestampSchema,
    expiresAt: timestampSchema.meta({ description: 'Unless the session is heard of again' }),
  })
  .meta({ id: 'Lock' })
export type Lock = z.infer<typeof lockSchema>

export const lockListSchema = z
  .object({ items: z.array(lockSchema), nextCursor: z.null() })
  .meta({ id: 'LockList', description: 'Newest first, at most 1,000' })
export type LockList = z.infer<typeof lockListSchema>

export const lockListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  session: idSchema.optional().meta({ description: 'Only what this session holds' }),
})
export type LockListQuery = z.infer<typeof lockListQuerySchema>
