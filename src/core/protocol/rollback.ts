import { z } from 'zod'
import { scopeSchema } from './names.ts'
import { checkpointSchema, type Session } from './session.ts'

/** `example` has what a turn may have changed beside files. */
export const checkpointListOf = (example: Readonly<Record<string, number>>) =>
  z
    .object({
      items: z.array(
        checkpointSchema.extend({
          changes: z
            .int()
            .nonnegative()
            .meta({ description: 'How many files and other things the turn changed' }),
          changesByKind: z
            .record(z.string(), z.int().positive())
            .meta({ description: 'The same by kind', example: { file: 2, ...example } }),
        }),
      ),
      nextCursor: z.null(),
    })
    .meta({ id: 'CheckpointList', description: 'Oldest first, all of them' })
export type CheckpointList = z.infer<ReturnType<typeof checkpointListOf>>

export const rollbackSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    checkpointId: z.string().min(1).max(200).meta({ description: 'The turn to undo, with all after it' }),
    restoreFiles: z.boolean().optional().meta({ description: 'Default true' }),
  })
  .meta({ id: 'Rollback' })
export type Rollback = z.infer<typeof rollbackSchema>

export const rolledBackFields = {
  userMessage: z.string().meta({ description: 'How the first input that was undone began' }),
  restored: z.array(z.string()).meta({ description: 'What is again as it was' }),
  removed: z.array(z.string()).meta({ description: 'What had not been there' }),
  failed: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .meta({ description: 'What could not be brought back' }),
}
export interface RolledBack extends z.infer<z.ZodObject<typeof rolledBackFields>> {
  session: Session
}
