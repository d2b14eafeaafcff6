import { z } from 'zod'
import { runSchema, type RunRecord } from './chat.ts'
import { idSchema, listOf, scopeSchema, type InScope } from './names.ts'

export const editQueuedSchema = z
  .strictObject({ scope: scopeSchema.optional(), content: z.string().min(1) })
  .meta({ id: 'EditQueued' })
export type EditQueued = z.infer<typeof editQueuedSchema>

export const reorderQueueSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    runIds: listOf(idSchema, 1_000, { type: 'string' }).meta({
      description: 'All that wait, the next first',
    }),
  })
  .meta({ id: 'ReorderQueue' })
export type ReorderQueue = z.infer<typeof reorderQueueSchema>

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

/** The inputs of a session that wait for their turn; whoever follows the scope is told of each change. */
export interface SessionQueue {
  /** In the order they will be taken up. */
  list(id: string, options?: InScope): Promise<QueuePage>
  /** Refused with `conflict`, and `details.runIds` as they are, unless it names all that wait and nothing else. */
  reorder(id: string, order: ReorderQueue): Promise<QueuePage>
  /** Changes the text of one. */
  edit(id: string, runId: string, change: EditQueued): Promise<RunRecord>
  /** Takes one back. */
  remove(id: string, runId: string, options?: InScope): Promise<void>
  /** Hands one into the turn that goes on; where none does, it becomes the next. */
  steer(id: string, runId: string, options?: InScope): Promise<SteeredInput>
}
