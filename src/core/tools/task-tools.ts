import { z } from 'zod'
import {
  budgetSchema,
  maxPromptLength,
  maxTimeoutMs,
  type TaskRequest,
  type TaskResult,
} from '../protocol/background.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { TaskProgress } from '../protocol/session.ts'
import { shownAs } from './tool-schemas.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

export interface TaskSummary {
  taskId: string
  label?: string
  /** As in its record; `waiting` when a person has to decide something first. */
  status: string
  progress?: TaskProgress
  result?: TaskResult
}

/** What the tools below need of background sessions; injected, since those lie above the tools. */
export interface TaskControl {
  /** The same call starts the same task, however often it is made. */
  spawn(context: ToolContext, request: TaskRequest): Promise<{ taskId: string }>
  spawnAndWait(context: ToolContext, request: TaskRequest): Promise<TaskResult>
  /** Tasks that the session started. */
  list(context: ToolContext): Promise<TaskSummary[]>
  get(context: ToolContext, taskId: string): Promise<TaskSummary>
  cancel(context: ToolContext, taskId: string): Promise<boolean>
  /** The same call sends its message once. */
  message(context: ToolContext, taskId: string, text: string): Promise<{ status: 'delivered' | 'continued' }>
}

const maxListed = 500

const budgetInput = z
  .strictObject({
    tokens: z.number(),
    cost: z.number(),
    tasks: z.number(),
    depth: z.number(),
    seconds: z.number(),
  })
  .partial()

export function createTaskTools(control: TaskControl): Tool[] {
  return [createSpawnTask(control), createTaskStatus(control), createMessageTask(control)]
}

function createSpawnTask(control: TaskControl): Tool {
  return defineTool({
    name: 'spawn_task',
    group: 'task',
    offered: 'whole',
    startsTasks: true,
    description:
      'Starts a task in the background, in a session of its own. It knows nothing of this conversation: say everything it needs in "task" and "context". ' +
      'mode "async" (default) answers at once, and the result comes to this conversation by itself: do not wait or ask for it; "sync" waits for it.',
    input: z.strictObject({
      task: z.string().min(1).max(maxPromptLength),
      mode: z.enum(['async', 'sync']).optional(),
      label: z.string().max(200).optional(),
      model: z.string().max(200).optional(),
      context: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
      expected_output: z.string().max(20_000).optional(),
      output_schema: z.record(z.string(), z.unknown()).optional(),
      timeout_seconds: z
        .int()
        .min(1)
        .max(maxTimeoutMs / 1_000)
        .optional(),
      budget: shownAs(budgetInput, budgetSchema).optional(),
    }),
    // a call that is made again finds the task of the first one
    isIdempotent: true,
    // the task has a time limit of its own
    timeoutMs: maxTimeoutMs,
    async execute(input, context) {
      const request: TaskRequest = {
        prompt: input.task,
        label: input.label,
        model: input.model,
        context: readContext(input.context),
        expectedOutput: input.expected_output,
        outputSchema: input.output_schema,
        timeoutMs: input.timeout_seconds === undefined ? undefined : input.timeout_seconds * 1_000,
        budget: input.budget,
      }
      if (input.mode === 'sync') return control.spawnAndWait(context, request)
      return { ...(await control.spawn(context, request)), status: 'started' }
    },
  })
}

function readContext(context: string | Record<string, unknown> | undefined) {
  if (typeof context !== 'string') return context
  try {
    const value: unknown = JSON.parse(context)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // falls through: what is not JSON is as wrong as what is no object
  }
  throw invalidRequest('"context" must be an object, or the JSON text of one.')
}

function createTaskStatus(control: TaskControl): Tool {
  return defineTool({
    name: 'task_status',
    group: 'task',
    offered: 'line',
    description:
      'Looks at the background tasks of this conversation: "list" them, the "status" or the whole "result" of one, or "cancel" one.',
    input: z.strictObject({
      action: z.enum(['list', 'status', 'result', 'cancel']),
      task_id: z.string().max(200).optional(),
    }),
    isIdempotent: true,
    async execute({ action, task_id: taskId }, context) {
      if (action === 'list') return (await control.list(context)).slice(0, maxListed).map(withoutOutput)
      if (taskId === undefined) throw invalidRequest(`"${action}" needs a task_id; "list" shows them.`)
      if (action === 'cancel') return { taskId, cancelled: await control.cancel(context, taskId) }
      const task = await control.get(context, taskId)
      if (action === 'status') return withoutOutput(task)
      if (!task.result) throw invalidRequest(`The task is ${task.status}; it has no result yet.`)
      return task.result
    },
  })
}

function createMessageTask(control: TaskControl): Tool {
  return defineTool({
    name: 'message_task',
    group: 'task',
    offered: 'line',
    startsTasks: true,
    description:
      'Sends a message to a background task of this conversation. One that is running reads it after its current step. ' +
      'One that is over goes on with it, knowing all it did before, and its new result comes by itself.',
    input: z.strictObject({
      task_id: z.string().min(1).max(200),
      message: z.string().min(1).max(maxPromptLength),
    }),
    // sent once, however often the call is made
    isIdempotent: true,
    async execute({ task_id: taskId, message }, context) {
      return { taskId, ...(await control.message(context, taskId, message)) }
    },
  })
}

const previewLength = 200

const withoutOutput = ({ result, ...task }: TaskSummary) => ({
  ...task,
  ...(result && {
    result: {
      status: result.status,
      source: result.source,
      degraded: result.degraded,
      preview: result.output.slice(0, previewLength).toWellFormed(),
    },
  }),
})
