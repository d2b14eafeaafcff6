import { z } from 'zod'
import type { TaskFacets } from './facets.ts'
import { runSchema } from './chat.ts'
import { idSchema, labelSchema, scopeSchema } from './names.ts'
import { parameterSettingsSchema } from './parameters.ts'
import type { GroupSwitches } from './permission.ts'
import type { BgMeta } from './session.ts'

export const resultSources = ['tool', 'reminded', 'extracted', 'none'] as const
export const resultStatuses = [
  'success',
  'partial',
  'refused',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
] as const

export const openTaskSchema = z.object({ taskId: z.string(), label: z.string().optional() })
export type OpenTask = z.infer<typeof openTaskSchema>

/** What stopping a session stopped. */
export const stoppedWorkOf = (runKinds: readonly string[]) =>
  z
    .object({
      stopped: runSchema.nullable().meta({ description: 'What ran in the session itself' }),
      tasks: z
        .array(
          openTaskSchema.extend({
            runId: z.string(),
            kind: z
              .string()
              .meta({ description: ['background', runKinds.join(' or ')].filter(Boolean).join(', ') }),
            status: runSchema.shape.status,
          }),
        )
        .meta({ description: 'What it and its tasks had started; running ones are being stopped' }),
    })
    .meta({ id: 'StoppedWork' })
export type StoppedWork = z.infer<ReturnType<typeof stoppedWorkOf>>

/** What can be running below a session, in words. */
export const workBelow = (runKinds: readonly string[]): string =>
  runKinds.length === 0 ? 'tasks' : `tasks, and runs of ${runKinds.map((kind) => `${kind}s`).join(' and ')}`

/** What became of a task. `source` says how sure one can be of it; an extracted one is always degraded. */
export const taskResultSchema = z
  .object({
    taskId: z.string().meta({ description: 'The background session' }),
    runId: z.string(),
    label: z.string().optional(),
    status: z.enum(resultStatuses),
    output: z.string(),
    structuredData: z.unknown().optional(),
    artifacts: z.array(z.string()).optional(),
    source: z.enum(resultSources).meta({
      description:
        'tool: submitted. reminded: submitted after a reminder. extracted: taken from the last words. none: nothing',
    }),
    degraded: z.boolean(),
    error: z.string().optional(),
    tasksRunning: z.array(openTaskSchema).optional().meta({
      description: 'What it had started and did not wait for; where its result went, theirs go too',
    }),
    parentTaskId: z.string().optional().meta({
      description:
        'The task that started it and was over: the result went to the nearest session above that listens',
    }),
    durationMs: z.number(),
  })
  .meta({ id: 'TaskResult' })
export type TaskResult = z.infer<typeof taskResultSchema>

// a month is a mistake more often than a wish
export const maxTimeoutMs = 7 * 24 * 3_600_000

export const budgetSchema = z
  .strictObject({
    tokens: z.int().positive().max(1e12).optional(),
    cost: z.number().positive().max(1e9).optional().meta({ description: 'In the currency of the prices' }),
    tasks: z.int().nonnegative().max(1e6).optional(),
    depth: z.int().nonnegative().max(100).optional().meta({ description: 'Levels of tasks below the task' }),
    seconds: z
      .int()
      .positive()
      .max(maxTimeoutMs / 1_000)
      .optional()
      .meta({ description: 'From when it is started, waiting included' }),
  })
  .meta({ id: 'Budget', description: 'Over the task and everything it starts' })

export const maxPromptLength = 200_000

const jsonObjectSchema = z.record(z.string(), z.unknown())

/** What a background session is asked to do. */
export const taskRequestSchema = z.strictObject({
  prompt: z.string().min(1).max(maxPromptLength),
  systemInstructions: z.string().max(maxPromptLength).optional(),
  context: jsonObjectSchema.optional(),
  expectedOutput: z.string().max(20_000).optional(),
  outputSchema: jsonObjectSchema
    .optional()
    .meta({ description: 'JSON Schema of an object that the result has to keep to' }),
  label: labelSchema.optional(),
  model: z.string().min(1).max(200).optional(),
  timeoutMs: z.int().min(1_000).max(maxTimeoutMs).optional(),
  budget: budgetSchema.optional(),
})
export type TaskRequest = z.infer<typeof taskRequestSchema>

/** What was requested of a task, which sees it in other words only; kept so that one like it can be started. */
export const askedTaskSchema = taskRequestSchema.pick({
  systemInstructions: true,
  context: true,
  expectedOutput: true,
  timeoutMs: true,
  budget: true,
})
export type AskedTask = z.infer<typeof askedTaskSchema>

/** The body that starts a background session over HTTP. */
export const createBackgroundFields = {
  scope: scopeSchema.optional(),
  kind: z.literal('background'),
  title: labelSchema.optional(),
  ...taskRequestSchema.shape,
  prompt: z
    .string({
      error: ({ input }) =>
        input === undefined ? 'a session of the kind "background" begins with one' : undefined,
    })
    .min(1)
    .max(maxPromptLength),
  parameters: parameterSettingsSchema.optional(),
  parentSessionId: idSchema.optional(),
  announceTarget: idSchema.optional().meta({ description: 'Where the result goes; default: the parent' }),
  wake: z.boolean().optional().meta({ description: 'Starts a turn there when it is idle' }),
  detached: z.boolean().optional().meta({ description: 'Continues when its parent is stopped' }),
  autoCleanup: z.boolean().optional().meta({ description: 'Archives the session when it is completed' }),
  allowedTools: z.array(z.string().min(1).max(200)).max(1_000).optional(),
}
export interface CreateBackground extends z.infer<z.ZodObject<typeof createBackgroundFields>>, TaskFacets {
  toolGroups?: GroupSwitches
}

export type BgMetaInput = Omit<BgMeta, 'depth'>
