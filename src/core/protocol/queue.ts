import { z } from 'zod'
import { runSchema } from './chat.ts'
import { idSchema, listOf, scopeSchema } from './names.ts'

export const editQueuedSchema = z
  .strictObject({ scope: scopeSchema.optional(), content: z.string().min(1) })
  .meta({ id: 'EditQueued' })

export const reorderQueueSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    runIds: listOf(idSchema, 1_000, { type: 'string' }).meta({
      description: 'All that wait, the next first',
    }),
  })
  .meta({ id: 'ReorderQueue' })

export const queuePageSchema = z
  .object({ items: z.array(runSchema), nextCursor: z.null() })
  .meta({ id: 'QueuePage', description: 'All of them: there is one page' })
export type QueuePage = z.infer<typeof queuePageSchema>

export const steeredInputSchema = z
  .object({
    steered: z.boolean().meta({ description: 'False when no turn went on: the input is the next one, then' }),
    run: runSchema.meta({ description: 'The turn that takes the input in, or the input that still waits' }),
  })
  .meta({ id: 'SteeredInput' })
export type SteeredInput = z.infer<typeof steeredInputSchema>
