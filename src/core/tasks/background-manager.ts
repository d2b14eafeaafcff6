/**
 * Background sessions: ordinary sessions with another configuration. This starts them, counts them, waits for them and
 * cancels them; what they do is done by the chat core, and all of their state is in the store.
 *
 * A run waits as `queued` until a slot is free, continues as `running` on some node, and ends once. Limits are
 * checked in the transaction that stores the run, so two spawns at once cannot both take the last place.
 */
import type { TurnHooks } from '../chat/turn-hooks.ts'
import type { RunKind } from '../runs/run-engine.ts'
import type { BgMetaInput, TaskRequest, TaskResult } from '../protocol/background.ts'
import { notFound } from '../protocol/error.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { cancelTask, cancelTaskRun, cancelTasksOf } from './cancel-tasks.ts'
import { deleteWithTasks, endTaskRun } from './delete-session.ts'
import type { BackgroundDeps, OnSettled, TaskDeps } from './task-deps.ts'
import { messageTask, type TaskMessage } from './message-task.ts'
import { judgeTries, remind } from './require-result.ts'
import { settleTask } from './settle-task.ts'
import { startTask, type TriggerOptions } from './start-task.ts'

export interface Started {
  sessionId: string
  runId: string
  session: Session
  /** Settles with the end of the run, whichever that is. */
  promise: Promise<TaskResult>
}

export interface BackgroundManager {
  trigger(scope: string, request: TaskRequest, meta: BgMetaInput, options?: TriggerOptions): Promise<Started>
  /** In a transaction of the caller's; `watch` gives the promise after the commit. */
  triggerIn(
    tx: StoreOperations,
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options?: TriggerOptions,
  ): Promise<{ session: Session; run: Run }>
  triggerSync(
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options?: TriggerOptions,
  ): Promise<TaskResult>
  /** The result of a run, as soon as it has finished. */
  watch(scope: string, sessionId: string, runId: string, signal?: AbortSignal): Promise<TaskResult>
  /** Stops a task and everything below it; false when it has finished already. */
  cancel(scope: string, sessionId: string): Promise<boolean>
  /** The same; answers what it stopped. */
  stop(scope: string, sessionId: string): Promise<Run[]>
  /** Stops the tasks that a session started, unless they are detached; answers which. */
  cancelTasksOf(scope: string, sessionId: string): Promise<Run[]>
  /** Deletes a session of any kind, and stops the tasks that it leaves behind; answers which sessions stay. */
  deleteIn(tx: StoreOperations, scope: string, sessionId: string): Promise<string[]>
  /** Sends a message to a task, and resumes it when it has finished. */
  message(message: TaskMessage): Promise<{ status: 'delivered' | 'continued' }>
  isRunning(scope: string, sessionId: string): Promise<boolean>
  /** Over all nodes. */
  activeCount(): Promise<number>
  /** Listeners for each end, called in the order in which they were added. What one throws undoes the end. */
  onSettled(...hooks: readonly OnSettled[]): void
  /** What the chat core does for background runs. */
  hooks: TurnHooks
  /** What is particular to the kind of run; the turn itself is executed like any other. */
  runKind: Required<Pick<RunKind, 'canExecute' | 'cancel' | 'end'>>
}

export function createBackgroundManager(given: BackgroundDeps): BackgroundManager {
  const onSettled: OnSettled[] = []
  const deps: TaskDeps = { ...given, onSettled }
  const { store } = deps

  const watch: BackgroundManager['watch'] = async (
    scope,
    sessionId,
    runId,
    signal = new AbortController().signal,
  ) => {
    const run = await store.getRun(scope, runId)
    if (!run) throw notFound('run', runId)
    const { run: ended } = await deps.chats.answerOf(run, signal)
    signal.throwIfAborted()
    const session = await store.requireSession(scope, sessionId)
    return resultOf(session, { ...run, ...(await store.getRun(scope, runId)), status: ended.status })
  }

  const trigger: BackgroundManager['trigger'] = async (scope, request, meta, options) => {
    const { session, run } = await store.transaction((tx) =>
      startTask(tx, deps, { scope, request, meta, options }),
    )
    const promise = watch(scope, session.id, run.id)
    // a caller that ignores the result must not crash on it
    promise.catch(() => {})
    return { sessionId: session.id, runId: run.id, session, promise }
  }

  return {
    trigger,
    triggerIn: (tx, scope, request, meta, options) => startTask(tx, deps, { scope, request, meta, options }),
    watch,
    async triggerSync(scope, request, meta, options) {
      const { promise } = await trigger(scope, request, meta, { ...options, isAwaited: true })
      return promise
    },
    cancel: async (scope, sessionId) =>
      (await cancelTask(deps, scope, sessionId)).some((run) => run.sessionId === sessionId),
    stop: (scope, sessionId) => cancelTask(deps, scope, sessionId),
    cancelTasksOf: (scope, sessionId) => cancelTasksOf(store, deps, scope, sessionId),
    deleteIn: (tx, scope, sessionId) => deleteWithTasks(tx, deps, scope, sessionId),

    message: (message) => store.transaction((tx) => messageTask(tx, deps, message)),

    async isRunning(scope, sessionId) {
      await store.requireSession(scope, sessionId)
      return (await store.listOpenRuns(sessionId)).some(({ kind }) => kind === 'background')
    },

    activeCount: async () => (await store.countTasks(undefined)).all,

    onSettled: (...hooks) => void onSettled.push(...hooks),

    hooks: {
      async onBegin(session, run) {
        // a resumed one was announced already
        if (run.kind !== 'background' || session.bgStatus === 'running') return
        await store.transaction(async (tx) => {
          await tx.updateSession(session.scope, session.id, {
            bgStatus: 'running',
            startedAt: toTimestamp(run.startedAt ?? deps.clock.now()),
            finishedAt: null,
          })
          await tx.recordEvent(session.scope, {
            type: 'bg:session.started',
            sessionId: session.id,
            data: { runId: run.id, parentSessionId: session.bgMeta?.parentSessionId },
          })
        })
      },
      nudge: remind,
      verdict: judgeTries,
      async onEnd(tx, ended) {
        if (ended.run.kind === 'background') await settleTask(tx, deps, ended)
      },
    },

    runKind: {
      // one whose process died is ended where it must not be done twice
      canExecute: ({ attempt }) => !(deps.limits.onCrash === 'interrupt' && attempt > 1),
      cancel: (tx, run, why) => cancelTaskRun(tx, deps, run, why),
      end: (tx, run) => endTaskRun(tx, deps, run),
    },
  }
}

/** As it was stored with the end of the run. */
function resultOf(session: Session, run: Run): TaskResult {
  const outcome = run.outcome as { result?: TaskResult } | undefined
  return (
    outcome?.result ?? {
      taskId: session.id,
      runId: run.id,
      status: run.status === 'completed' ? 'success' : toResultStatus(run.status),
      output: session.bgResult ?? '',
      ...(session.bgStructuredData !== undefined && {
        structuredData: JSON.parse(session.bgStructuredData) as unknown,
      }),
      ...(session.bgArtifacts && { artifacts: session.bgArtifacts }),
      source: 'none',
      degraded: true,
      durationMs: (run.finishedAt ?? run.createdAt) - (run.startedAt ?? run.createdAt),
    }
  )
}

const toResultStatus = (status: Run['status']): TaskResult['status'] =>
  status === 'timeout' || status === 'cancelled' || status === 'interrupted' ? status : 'failed'
