import { z } from 'zod'
import { maxPromptLength, maxTimeoutMs } from '../../core/protocol/background.ts'
import {
  missedPolicies,
  overlapPolicies,
  type CreateCron,
  type Cron,
  type CronFire,
  type CronPreview,
} from './protocol/cron.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import { labelSchema } from '../../core/protocol/names.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'

/** What the tool needs of crons; injected, since crons depend on tools. Calls are idempotent. */
export interface CronControl {
  create(context: ToolContext, input: Omit<CreateCron, 'scope'>): Promise<Cron>
  list(context: ToolContext): Promise<Cron[]>
  get(context: ToolContext, id: string): Promise<{ cron: Cron; fires: CronFire[] }>
  pause(context: ToolContext, id: string): Promise<Cron>
  resume(context: ToolContext, id: string): Promise<Cron>
  trigger(context: ToolContext, id: string): Promise<CronFire>
  delete(context: ToolContext, id: string): Promise<void>
  preview(input: { schedule: string; timeZone?: string; count?: number }): CronPreview
}

const actions = ['create', 'list', 'get', 'pause', 'resume', 'trigger', 'delete', 'preview'] as const
const readers: readonly string[] = ['list', 'get', 'preview']

const inputSchema = z.strictObject({
  action: z.enum(actions),
  id: z.string().max(200).optional(),
  name: labelSchema.min(1).optional(),
  schedule: z.string().min(1).max(200).optional(),
  time_zone: z.string().min(1).max(100).optional(),
  prompt: z.string().min(1).max(maxPromptLength).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  expected_output: z.string().max(20_000).optional(),
  model: z.string().min(1).max(200).optional(),
  timeout_seconds: z
    .int()
    .min(1)
    .max(maxTimeoutMs / 1_000)
    .optional(),
  missed: z.enum(missedPolicies).optional(),
  overlap: z.enum(overlapPolicies).optional(),
  announce: z.boolean().optional(),
  count: z.int().min(1).max(20).optional(),
})
type Input = z.infer<typeof inputSchema>

export function createCronTool(control: CronControl): Tool {
  return defineTool({
    name: 'cron',
    group: 'schedule',
    offered: 'line',
    description:
      'Runs a prompt by time, each time in a background session of its own. "create" takes schedule, prompt and name; ' +
      '"list" shows what there is; "get", "pause", "resume", "trigger" (now) and "delete" take an id; "preview" shows when a schedule fires. ' +
      'A schedule is a cron line ("0 9 * * MON-FRI"; six fields with seconds first), a nickname (@daily), or "once:2026-11-15T08:30:00". ' +
      'Say time_zone (IANA, such as Europe/Berlin) when the user means a local time; default UTC. ' +
      'The prompt knows nothing of this conversation: say everything it needs. Its result comes to this conversation unless announce is false.',
    input: inputSchema,
    // a call that is repeated after a crash finds what the first one did
    isIdempotent: true,
    access: ({ action, id }): Access => ({
      action,
      effect: readers.includes(action) ? 'read' : 'write',
      resources: [`cron:${id ?? (action === 'create' ? 'new' : '*')}`],
    }),
    execute: (input, context) => act(control, input, context),
  })
}

async function act(control: CronControl, input: Input, context: ToolContext): Promise<unknown> {
  const { action } = input
  switch (action) {
    case 'list':
      return (await control.list(context)).map(summarise)
    case 'preview':
      return control.preview({
        schedule: required(input, 'schedule'),
        timeZone: input.time_zone,
        count: input.count,
      })
    case 'create':
      return summarise(await control.create(context, toCreate(input, context)))
    case 'get':
      return control.get(context, required(input, 'id'))
    case 'pause':
      return summarise(await control.pause(context, required(input, 'id')))
    case 'resume':
      return summarise(await control.resume(context, required(input, 'id')))
    case 'trigger':
      return control.trigger(context, required(input, 'id'))
    case 'delete': {
      const id = required(input, 'id')
      await control.delete(context, id)
      return { id, deleted: true }
    }
  }
}

function toCreate(input: Input, { sessionId }: ToolContext): Omit<CreateCron, 'scope'> {
  return {
    name: input.name,
    schedule: required(input, 'schedule'),
    timeZone: input.time_zone,
    prompt: required(input, 'prompt'),
    context: input.context,
    expectedOutput: input.expected_output,
    model: input.model,
    timeoutMs: input.timeout_seconds === undefined ? undefined : input.timeout_seconds * 1_000,
    missed: input.missed,
    overlap: input.overlap,
    announceTarget: input.announce === false ? undefined : sessionId,
  }
}

function required(input: Input, field: 'id' | 'schedule' | 'prompt'): string {
  const value = input[field]
  if (value === undefined) throw invalidRequest(`"${input.action}" needs "${field}".`)
  return value
}

const summarise = ({
  id,
  name,
  schedule,
  timeZone,
  status,
  reason,
  failures,
  nextFireAt,
  lastFireAt,
  workflowId,
}: Cron) => ({
  id,
  name,
  schedule,
  timeZone,
  status,
  ...(reason !== undefined && { reason }),
  ...(failures > 0 && { failures }),
  ...(nextFireAt !== undefined && { nextFireAt }),
  ...(lastFireAt !== undefined && { lastFireAt }),
  ...(workflowId !== undefined && { workflowId }),
})
