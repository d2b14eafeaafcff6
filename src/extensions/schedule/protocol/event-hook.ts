import { z } from 'zod'
import { promptSchema, taskOptionFields, taskOptionPatch } from './cron.ts'
import {
  idSchema,
  labelSchema,
  scopeSchema,
  timestampSchema,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'
import { named } from '../../../core/protocol/wordings.ts'

export const eventSchema = z
  .string()
  .max(100)
  .regex(
    /^([a-z][a-z0-9:._-]*\*?|\*)$/,
    named('event_type', 'must be the type of an event, or its beginning and "*"'),
  )
  .meta({ example: 'bg:session.failed' })

const maxFields = 20
export const filterSchema = z
  .record(z.string().min(1).max(100), z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]))
  .refine((filter) => Object.keys(filter).length <= maxFields, {
    error: `must have at most ${maxFields} fields`,
    params: { rule: 'max_entries', maximum: maxFields },
  })
  .meta({
    description: 'Fields of the event that must be equal: sessionId, label, or any of its data',
    example: { label: 'nightly report' },
  })

const maxPerHourSchema = z
  .int()
  .min(1)
  .max(1_000)
  .meta({ description: 'Events over this many starts in an hour are left out; default 60' })

export const eventHookSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    name: labelSchema,
    event: eventSchema,
    filter: filterSchema,
    prompt: z.string(),
    ...taskOptionFields,
    maxPerHour: maxPerHourSchema,
    status: z.enum(['active', 'paused']),
    reason: z.string().optional().meta({ description: 'Why it is paused, or what it left out last' }),
    starts: z.int().nonnegative().meta({ description: 'Sessions, or runs of its workflow, that it started' }),
    skipped: z.int().nonnegative().meta({ description: 'Events that it left out, for their number' }),
    lastStartedAt: timestampSchema.optional(),
    workflowId: idSchema
      .optional()
      .meta({ description: 'The workflow whose trigger it is; its args are in context' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'EventHook' })
export type EventHook = z.infer<typeof eventHookSchema>

export const createEventHookSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional().meta({ description: 'Default: the event' }),
    event: eventSchema,
    filter: filterSchema.optional(),
    prompt: promptSchema,
    ...taskOptionFields,
    maxPerHour: maxPerHourSchema.optional(),
  })
  .meta({ id: 'CreateEventHook' })
export type CreateEventHook = z.infer<typeof createEventHookSchema>

export const updateEventHookSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional(),
    event: eventSchema.optional(),
    filter: filterSchema.optional(),
    prompt: promptSchema.optional(),
    ...taskOptionPatch,
    maxPerHour: maxPerHourSchema.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .meta({ description: 'Made active again, it begins with what happens from then on' }),
  })
  .meta({ id: 'UpdateEventHook', description: 'null takes a value away' })
export type UpdateEventHook = z.infer<typeof updateEventHookSchema>

export const eventHookListQuerySchema = pageQuerySchema
export type EventHookListQuery = z.infer<typeof eventHookListQuerySchema>

export const eventHookPageSchema = z
  .object({ items: z.array(eventHookSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'EventHookPage' })
export type EventHookPage = z.infer<typeof eventHookPageSchema>

declare module '../../../core/protocol/facets.ts' {
  interface Wordings {
    event_type: true
  }
}
