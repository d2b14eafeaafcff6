import { z } from 'zod'
import { taskResultSchema } from './background.ts'
import { partSchema } from './message.ts'
import { timestampSchema } from './names.ts'

export const inboxItemSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['task-result', 'steer']).meta({
      description: 'task-result: what a task reported. steer: words for the turn that is running',
    }),
    result: taskResultSchema.optional().meta({ description: 'Of a task' }),
    wake: z.boolean().optional().meta({ description: 'It requested a turn of its own' }),
    parts: z.array(partSchema).optional().meta({ description: 'Of words' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'InboxItem' })
export type InboxEntry = z.infer<typeof inboxItemSchema>

export const inboxPageSchema = z
  .object({ items: z.array(inboxItemSchema), nextCursor: z.null() })
  .meta({ id: 'InboxPage', description: 'All of them, oldest first: there is one page' })
export type InboxPage = z.infer<typeof inboxPageSchema>
