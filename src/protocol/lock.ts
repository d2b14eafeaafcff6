import { z } from 'zod'
import { idSchema, type InScope, scopeSchema, timestampSchema } from './names.ts'

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

/** What sessions hold; a person can take it from them. */
export interface Locks {
  list(query?: LockListQuery): Promise<LockList>
  /** What the session still meant to write is refused from then on, until it has taken the lock again. */
  release(resourceType: LockedType, resourceId: string, options?: InScope): Promise<void>
}
