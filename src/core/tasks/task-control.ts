import { notFound } from '../protocol/error.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Session, TaskProgress } from '../protocol/session.ts'
import { HandOver } from '../runs/stop-reasons.ts'
import { insist, type SlotWaits } from '../runs/wait-for-slot.ts'
import type { Store } from '../store/store.ts'
import type { TaskControl, TaskSummary } from '../tools/task-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { BackgroundManager } from './background-manager.ts'

// a chat that started more has them in its list of sessions
const maxTasks = 200

/** Background sessions as the tools of a model see them: those that were started in or below its own session, and no others. */
export function createTaskControl(
  store: Store,
  manager: BackgroundManager,
  waits: SlotWaits,
  readProgress: (store: Store, session: Session) => Promise<TaskProgress | undefined>,
): TaskControl {
  const start = async (
    { scope, sessionId, runId, toolCallId }: ToolContext,
    request: Parameters<BackgroundManager['trigger']>[1],
    isAwaited: boolean,
  ) => {
    const parentRun = await store.getRun(scope, runId)
    return manager.trigger(
      scope,
      request,
      { triggerType: 'tool_spawn', parentSessionId: sessionId, source: 'task' },
      // made again after a crash, the call finds the task it started
      { parentRun, key: `${runId}:${toolCallId}`, wake: !isAwaited, isAwaited },
    )
  }

  /** One that the session started, or that was started below it: what it left behind reports here too. */
  const requireTask = async ({ scope, sessionId }: ToolContext, taskId: string): Promise<Session> => {
    const session = await store.getSession(scope, taskId)
    for (let above = session; above?.parentId !== undefined;) {
      if (above.parentId === sessionId) return session!
      above = await store.getSession(scope, above.parentId)
    }
    throw notFound('task', taskId)
  }

  const summarise = async (session: Session): Promise<TaskSummary> => {
    // turns that somebody took there later are no task
    const own = { sessionId: session.id, kind: 'background', limit: 1 } as const
    const [run] = (await store.listRuns(session.scope, own)).items
    const progress = await readProgress(store, session)
    const outcome = run?.outcome as { result?: TaskResult } | undefined
    return {
      taskId: session.id,
      ...(session.bgMeta?.label !== undefined && { label: session.bgMeta.label }),
      status: progress?.waitsFor ? 'waiting' : (session.bgStatus ?? 'pending'),
      ...(progress && { progress }),
      ...(outcome?.result && { result: outcome.result }),
    }
  }

  return {
    async spawn(context, request) {
      const { sessionId } = await start(context, request, false)
      return { taskId: sessionId }
    },

    async spawnAndWait(context, request) {
      const { sessionId, runId } = await start(context, request, true)
      const { scope, signal } = context
      // a server that stops leaves the task alone: the next owner of this turn waits for it again
      const cancel = () => {
        if (signal.reason instanceof HandOver) return
        // other failures concern nobody here: the task ends by itself, or is gone with its session
        insist(() => manager.cancel(scope, sessionId)).catch(() => {})
      }
      signal.addEventListener('abort', cancel)
      if (signal.aborted) cancel()
      try {
        return await waits.during(context.runId, signal, () =>
          insist(() => manager.watch(scope, sessionId, runId, signal), signal),
        )
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },

    async list({ scope, sessionId }) {
      const { items } = await store.listSessions(scope, {
        parentId: sessionId,
        archived: 'all',
        limit: maxTasks,
      })
      return Promise.all(items.map(summarise))
    },
    get: async (context, taskId) => summarise(await requireTask(context, taskId)),
    async message(context, taskId, text) {
      const { scope, sessionId, runId, toolCallId } = context
      await requireTask(context, taskId)
      const parentRun = await store.getRun(scope, runId)
      const key = `${runId}:${toolCallId}`
      return manager.message({ scope, taskId, text, fromId: sessionId, parentRun, key })
    },
    async cancel(context, taskId) {
      await requireTask(context, taskId)
      return manager.cancel(context.scope, taskId)
    },
  }
}
