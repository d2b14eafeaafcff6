import type { RunRecord } from '../../../src/core/protocol/chat.ts'
import type { AskedTask, CreateBackground, TaskRequest } from '../../../src/core/protocol/background.ts'
import { parentOf, type Task } from './task-tree.ts'

/** What the input of a task's run holds; one from an older Parley has no `asked`. */
interface TaskInput {
  task?: Pick<TaskRequest, 'outputSchema'> & { asked?: AskedTask; wake?: boolean; detached?: boolean }
}

/** A task like this one. `run` is the one that did it; a task that was imported has none. */
export function toTaskRequest(
  { title, bgMeta = { triggerType: 'api' }, allowedTools, ...task }: Task,
  prompt: string,
  run: RunRecord | undefined,
): CreateBackground {
  const { label, model, timeoutMs, announceTarget, autoCleanup, memoryPolicy, skipMemory } = bgMeta
  const { asked = { timeoutMs }, outputSchema, wake, detached } = (run?.input as TaskInput)?.task ?? {}
  return {
    ...asked,
    kind: 'background',
    prompt,
    title: title || undefined,
    label,
    model,
    outputSchema,
    announceTarget,
    wake,
    detached,
    autoCleanup,
    memoryPolicy,
    skipMemory,
    allowedTools,
    parentSessionId: parentOf(task),
  }
}
