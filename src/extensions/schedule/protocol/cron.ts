import { z } from 'zod'
import { maxPromptLength, taskRequestSchema } from '../../../core/protocol/background.ts'
import {
  idSchema,
  labelSchema,
  scopeSchema,
  timestampSchema,
  pageFields,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'

export const missedPolicies = ['skip', 'once', 'all'] as const
export const overlapPolicies = ['skip', 'queue', 'cancel-previous'] as const
export const cronStatuses = ['active', 'paused', 'completed'] as const
export const fireCauses = ['schedule', 'missed', 'manual'] as const
export const fireOutcomes = [
  'started',
  'skipped',
  'queued',
  'completed',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
] as const

/** More at once after a pause would be a flood, not a catching up. */
export const maxMissed = 10

const { label, model, context, expectedOutput, outputSchema, timeoutMs, budget } = taskRequestSchema.shape

/** Options of a background session apart from its prompt, shared by crons and event hooks. */
export const taskOptionFields = {
  label,
  model,
  context,
  expectedOutput,
  outputSchema,
  timeoutMs,
  budget,
  announceTarget: idSchema
    .optional()
    .meta({ description: 'The session that gets the result; default: none' }),
  wake: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the result starts a turn there when nothing is running; default true' }),
}
export const taskOptionsSchema = z.strictObject(taskOptionFields)
export type TaskOptions = z.infer<typeof taskOptionsSchema>

/** A patch of the same; null removes a value. */
export const taskOptionPatch = {
  label: label.nullable(),
  model: model.nullable(),
  context: context.nullable(),
  expectedOutput: expectedOutput.nullable(),
  outputSchema: outputSchema.nullable(),
  timeoutMs: timeoutMs.nullable(),
  budget: budget.nullable(),
  announceTarget: taskOptionFields.announceTarget.nullable(),
  wake: taskOptionFields.wake.nullable(),
}

export const promptSchema = z.string().min(1).max(maxPromptLength)

export const scheduleSchema = z.string().min(1).max(200).meta({
  description: 'Cron line of 5 fields, 6 with seconds first, a nickname, or "once:" and an ISO time',
  example: '30 2 * * *',
})
const timeZoneSchema = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'Of the IANA database; default UTC', example: 'Europe/Berlin' })

const policyFields = {
  missed: z.enum(missedPolicies).meta({
    description:
      'What was missed while no node ran: left out, made up for by one fire, or by the newest maxMissed',
  }),
  maxMissed: z.int().min(1).max(maxMissed),
  overlap: z
    .enum(overlapPolicies)
    .meta({ description: 'A fire while an earlier one is running: left out, waits, or ends that one' }),
  maxFailures: z
    .int()
    .nonnegative()
    .max(1_000)
    .meta({ description: 'Pauses after so many failures in a row; 0 is never' }),
}

export const cronSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    name: labelSchema,
    schedule: scheduleSchema,
    timeZone: timeZoneSchema,
    prompt: z.string(),
    ...taskOptionFields,
    ...policyFields,
    status: z.enum(cronStatuses),
    reason: z.string().optional().meta({ description: 'Why it is paused or completed' }),
    failures: z.int().nonnegative().meta({ description: 'In a row, up to now' }),
    nextFireAt: timestampSchema.optional(),
    lastFireAt: timestampSchema.optional(),
    createdIn: idSchema.optional().meta({ description: 'The session whose model made it' }),
    workflowId: idSchema
      .optional()
      .meta({ description: 'The workflow whose trigger it is; its args are in context' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Cron' })
export type Cron = z.infer<typeof cronSchema>

export const createCronSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional().meta({ description: 'Default: the beginning of the prompt' }),
    schedule: scheduleSchema,
    timeZone: timeZoneSchema.optional(),
    prompt: promptSchema,
    ...taskOptionFields,
    missed: policyFields.missed.optional(),
    maxMissed: policyFields.maxMissed.optional(),
    overlap: policyFields.overlap.optional(),
    maxFailures: policyFields.maxFailures.optional(),
  })
  .meta({ id: 'CreateCron' })
export type CreateCron = z.infer<typeof createCronSchema>

export const updateCronSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional(),
    schedule: scheduleSchema.optional(),
    timeZone: timeZoneSchema.optional(),
    prompt: promptSchema.optional(),
    ...taskOptionPatch,
    missed: policyFields.missed.optional(),
    maxMissed: policyFields.maxMissed.optional(),
    overlap: policyFields.overlap.optional(),
    maxFailures: policyFields.maxFailures.optional(),
  })
  .meta({ id: 'UpdateCron', description: 'null takes a value away' })
export type UpdateCron = z.infer<typeof updateCronSchema>

export const cronListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  status: z.enum(cronStatuses).optional(),
  ...pageFields,
})
export type CronListQuery = z.infer<typeof cronListQuerySchema>

export const cronPageSchema = z
  .object({ items: z.array(cronSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'CronPage' })
export type CronPage = z.infer<typeof cronPageSchema>

export const cronFireSchema = z
  .object({
    cronId: idSchema,
    fireAt: timestampSchema,
    cause: z.enum(fireCauses),
    outcome: z.enum(fireOutcomes),
    reason: z.string().optional().meta({ description: 'Why it did not happen, or how it ended' }),
    times: z.int().positive().meta({ description: 'How many times of the schedule this stands for' }),
    sessionId: idSchema.optional().meta({ description: 'What it started; can be opened and continued' }),
    createdAt: timestampSchema,
    endedAt: timestampSchema.optional(),
  })
  .meta({ id: 'CronFire' })
export type CronFire = z.infer<typeof cronFireSchema>

export const fireListQuerySchema = pageQuerySchema
export type FireListQuery = z.infer<typeof fireListQuerySchema>

export const cronFirePageSchema = z
  .object({ items: z.array(cronFireSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'CronFirePage' })
export type CronFirePage = z.infer<typeof cronFirePageSchema>

export const previewCronSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    schedule: scheduleSchema,
    timeZone: timeZoneSchema.optional(),
    count: z.int().min(1).max(100).optional().meta({ description: 'Default 5' }),
    after: timestampSchema.optional().meta({ description: 'Default now' }),
  })
  .meta({ id: 'PreviewCron' })
export type PreviewCron = z.infer<typeof previewCronSchema>

export const cronPreviewSchema = z
  .object({
    timeZone: timeZoneSchema,
    items: z.array(
      z.object({
        at: timestampSchema,
        local: z.string().meta({ description: 'As the clocks of the zone show it, with their offset' }),
        offset: z.string().meta({ example: '+02:00' }),
        shifted: z
          .literal(true)
          .optional()
          .meta({ description: 'Clocks were changed since the fire before' }),
      }),
    ),
  })
  .meta({ id: 'CronPreview' })
export type CronPreview = z.infer<typeof cronPreviewSchema>
