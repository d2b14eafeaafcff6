import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { maxPromptLength, maxTimeoutMs } from '../../../core/protocol/background.ts'
import { conflict, quote } from '../../../core/protocol/error.ts'
import { idSchema, labelSchema } from '../../../core/protocol/names.ts'
import type { Caller } from '../../../core/sessions/caller.ts'
import { getSession } from '../../../core/sessions/get.ts'
import { getResult } from '../../../core/sessions/task-result.ts'
import { startBackground } from '../../../core/sessions/start-background.ts'
import type { McpServerDeps } from './mcp-server-deps.ts'
import { toSummary } from './session-tools.ts'
import { refuseBugs, toAnswer } from './tool-answer.ts'

export function offerTaskTools(server: McpServer, deps: McpServerDeps, caller: Caller): void {
  const { store, background, logger } = deps

  server.registerTool(
    'start_task',
    {
      description:
        'Starts a task that works in the background, in a session of its own, and answers at once. task_status tells what became of it.',
      inputSchema: z.strictObject({
        prompt: z.string().min(1).max(maxPromptLength),
        label: labelSchema.optional(),
        context: z.record(z.string(), z.unknown()).optional(),
        expected_output: z.string().max(20_000).optional(),
        output_schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the result'),
        model: z.string().min(1).max(200).optional(),
        timeout_seconds: z
          .int()
          .min(1)
          .max(maxTimeoutMs / 1_000)
          .optional(),
      }),
    },
    ({ prompt, label, context, model, ...rest }) =>
      refuseBugs(logger, async () => {
        const { session } = await startBackground(store, background, caller, {
          prompt,
          label,
          context,
          model,
          expectedOutput: rest.expected_output,
          outputSchema: rest.output_schema,
          timeoutMs: rest.timeout_seconds === undefined ? undefined : rest.timeout_seconds * 1_000,
        })
        return toAnswer({ taskId: session.id, status: session.bgStatus ?? 'pending' })
      }),
  )

  server.registerTool(
    'task_status',
    {
      description: 'Tells how a task is getting on, and its result when it is over.',
      inputSchema: z.strictObject({ task_id: idSchema }),
      annotations: { readOnlyHint: true },
    },
    ({ task_id: taskId }) =>
      refuseBugs(logger, async () => {
        const session = await getSession(store, caller, taskId)
        if (session.kind !== 'background') throw conflict(`The session ${quote(taskId)} is no task.`)
        const isFinished = !['pending', 'running', undefined].includes(session.bgStatus)
        return toAnswer({
          task: toSummary(session),
          ...(isFinished && { result: await getResult(store, caller, taskId) }),
        })
      }),
  )
}
