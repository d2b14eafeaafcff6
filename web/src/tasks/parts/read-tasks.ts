import type { Part } from '../../../../src/client/index.ts'

export interface NamedTask {
  taskId?: string
  label?: string
  status?: string
}

/** The tasks that a call started or looked at, as far as it says; a model may have written anything into it. */
export function readTasks({ input, output, state }: Part): NamedTask[] {
  if (Array.isArray(output)) return output.filter(isRecord).map(readTask)
  const given = isRecord(input) ? input : {}
  const asked = {
    taskId: idOf(given.task_id),
    label: textOf(given.label) ?? textOf(given.task)?.slice(0, 80),
  }
  if (isRecord(output)) return [{ ...asked, ...withoutMissing(readTask(output)) }]
  if (asked.taskId === undefined && asked.label === undefined) return []
  return [{ ...asked, status: state === 'output-error' ? 'failed' : 'pending' }]
}

const readTask = (value: Record<string, unknown>): NamedTask => ({
  taskId: idOf(value.taskId),
  label: textOf(value.label),
  status: textOf(value.status) ?? (value.cancelled === true ? 'cancelled' : undefined),
})

const withoutMissing = (task: NamedTask) =>
  Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined)) as NamedTask
/** The id of a session, or of what might be one. */
export const idOf = (value: unknown) =>
  typeof value === 'string' && /^[\w-]{1,100}$/.test(value) ? value : undefined
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
