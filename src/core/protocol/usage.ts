import { z } from 'zod'
import { scopeSchema, flag } from './names.ts'

const daySchema = z.iso.date().meta({ description: 'A day in UTC', example: '2026-11-15' })
const countSchema = z.int().nonnegative()

export const usageQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  from: daySchema.optional().meta({ description: 'Default: 29 days before "to"' }),
  to: daySchema.optional().meta({ description: 'This day included; default today' }),
})
export type UsageQuery = z.infer<typeof usageQuerySchema>

const totalsFields = {
  calls: countSchema.meta({ description: 'Of models' }),
  inputTokens: countSchema.meta({ description: 'Those read from a cache are among them' }),
  outputTokens: countSchema,
  cacheReadTokens: countSchema,
  cost: z
    .number()
    .optional()
    .meta({ description: 'Of the calls whose model has a price; missing when none has' }),
}

export const usagePageSchema = z
  .object({
    items: z.array(
      z.object({
        day: daySchema,
        model: z.string(),
        kind: z.string().meta({ description: 'Of the run, as turn or background; or memo' }),
        ...totalsFields,
      }),
    ),
    totals: z.object(totalsFields),
  })
  .meta({ id: 'Usage', description: 'Oldest day first' })
export type UsagePage = z.infer<typeof usagePageSchema>

const runsSchema = countSchema.meta({ description: 'Those that asked a model' })

export const sessionUsageQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  tasks: flag
    .optional()
    .meta({ description: 'Adds withTasks: what the session and everything below it used' }),
})

export const sessionUsageSchema = z
  .object({
    runs: runsSchema,
    ...totalsFields,
    withTasks: z
      .object({
        sessions: countSchema.meta({ description: 'The session itself and those below it' }),
        runs: runsSchema,
        ...totalsFields,
      })
      .optional()
      .meta({
        description: 'With tasks=true: what the session used and all tasks and runs started below it',
      }),
    window: z.object({
      tokens: countSchema.meta({ description: 'What the newest model call was sent; 0 before the first' }),
      limitTokens: z
        .int()
        .positive()
        .optional()
        .meta({ description: 'What the window is cut back at; missing when it has no limit in tokens' }),
    }),
  })
  .meta({ id: 'SessionUsage', description: 'All model calls of a session, updates of its memo included' })
export type SessionUsage = z.infer<typeof sessionUsageSchema>
