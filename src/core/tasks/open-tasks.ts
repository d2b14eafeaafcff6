import type { TurnInput } from '../chat/turn-input.ts'
import type { OpenTask } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import type { StoreOperations } from '../store/store.ts'
import type { ReadOpenTasks } from '../tools/set-result-tool.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'

export type FindTool = Pick<ToolRegistry, 'find'>

/** For the call that hands a result in; reads nothing where nothing was started. */
export const createOpenTaskReader =
  (store: StoreOperations, tools: FindTool): ReadOpenTasks =>
  async ({ scope, sessionId, parts = [] }) =>
    startsTasks(tools, parts) ? listOpenTasks(store, scope, sessionId) : []

/** Whether there can be tasks of a turn that are not over. */
export const startsTasks = (tools: FindTool | undefined, parts: readonly Part[]): boolean =>
  parts.some(({ toolName }) => typeof toolName === 'string' && tools?.find(toolName)?.startsTasks)

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
