import type { TurnInput } from '../chat/turn-input.ts'
import type { OpenTask } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import type { StoreOperations } from '../store/store.ts'
import type { ReadOpenTasks } from '../tools/set-result.ts'

const startingTools = new Set<unknown>(['spawn_task', 'message_task', 'workflow', 'plan'])

/** For the call that hands a result in; reads nothing where nothing was started. */
export const createOpenTaskReader =
  (store: StoreOperations): ReadOpenTasks =>
  async ({ scope, sessionId, parts = [] }) =>
    startsTasks(parts) ? listOpenTasks(store, scope, sessionId) : []

/** Whether there can be tasks of a turn that are not over. */
export const startsTasks = (parts: readonly Part[]): boolean =>
  parts.some(({ toolName }) => startingTools.has(toolName))

/** What was started below a session and is not over. */
export async function listOpenTasks(
  store: StoreOperations,
  scope: string,
  sessionId: string,
): Promise<OpenTask[]> {
  const open = await store.listTasksBelow(scope, sessionId)
  return open.map(({ sessionId: taskId, input }) => {
    const { label } = (input as TurnInput).task ?? {}
    return { taskId, ...(label !== undefined && { label }) }
  })
}
