import type { TurnInput } from '../chat/turn-input.ts'
import type { CancelReason } from '../runs/run-engine.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TaskDeps } from './task-deps.ts'
import { settleTask } from './settle-task.ts'

/** Stops a task and everything below it; answers what it stopped, itself first. */
export async function cancelTask(deps: TaskDeps, scope: string, sessionId: string): Promise<Run[]> {
  const { store } = deps
  const session = await store.requireSession(scope, sessionId)
  if (session.kind !== 'background')
    throw invalidRequest('The session is no background session; stop it instead.')
  // a turn that somebody took in it after its end is not the task
  const open = (await store.listOpenRuns(sessionId)).find(({ kind }) => kind === 'background')
  // first itself: a run that is being stopped starts no more of them
  if (open) await cancelTaskRun(store, deps, open, { message: 'cancelled' })
  return [...(open ? [open] : []), ...(await cancelTasksOf(store, deps, scope, sessionId))]
}

/** Stops the tasks that a session started, unless they are detached; answers which. */
export async function cancelTasksOf(
  store: StoreOperations,
  deps: TaskDeps,
  scope: string,
  sessionId: string,
): Promise<Run[]> {
  const visited = new Set<string>()
  const stopped: Run[] = []
  // a run that is being stopped starts nothing more, but may have since the last pass: until nothing new is found
  for (;;) {
    const below = await store.listTasksBelow(scope, sessionId)
    const added = below.filter(({ id }) => !visited.has(id))
    if (added.length === 0) return stopped
    for (const run of added) {
      visited.add(run.id)
      if (await isDetachedBelow(store, deps, run, sessionId)) continue
      await deps.engine.cancel(store, run, { message: 'stopped with what started it' })
      stopped.push(run)
    }
  }
}

/** Stops what a deleted session leaves behind, and what is below it; what is detached continues. */
export async function cancelLeft(
  tx: StoreOperations,
  deps: TaskDeps,
  scope: string,
  sessionId: string,
): Promise<void> {
  const own = await taskIn(tx, deps, scope, sessionId)
  if (own && isDetached(own)) return
  if (own?.status === 'queued' || own?.status === 'running')
    await deps.engine.cancel(tx, own, { message: parentDeleted, stopReason: parentDeleted })
  await cancelTasksOf(tx, deps, scope, sessionId)
}

const parentDeleted = 'The session that started it was deleted.'

/** A queued one ends at once; a running one is asked to. */
export const cancelTaskRun = (
  store: StoreOperations,
  deps: TaskDeps,
  run: Run,
  { message, stopReason = 'stopped' }: CancelReason,
): Promise<void> =>
  store.transaction(async (tx) => {
    if (!(await tx.cancelQueuedRun(run.scope, run.id))) {
      await tx.requestStop(run.scope, run.id, stopReason)
      return
    }
    const session = await tx.requireSession(run.scope, run.sessionId)
    await settleTask(tx, deps, { session, run, status: 'cancelled', message, parts: [] })
  })

/** Whether a task, or one between it and the session, continues when that session is stopped. */
async function isDetachedBelow(
  store: StoreOperations,
  deps: TaskDeps,
  task: Run,
  sessionId: string,
): Promise<boolean> {
  for (let run: Run | undefined = task; run;) {
    if (isDetached(run)) return true
    if (run.taskOf === undefined || run.taskOf === sessionId) return false
    run = await taskIn(store, deps, run.scope, run.taskOf)
  }
  return false
}

const isDetached = ({ input }: Run) => (input as TurnInput).task?.detached === true

/** The run that a session was created for, whatever happened in it since. */
async function taskIn(
  store: StoreOperations,
  { engine }: TaskDeps,
  scope: string,
  sessionId: string,
): Promise<Run | undefined> {
  for (const kind of engine.taskKinds()) {
    const { items } = await store.listRuns(scope, { sessionId, kind, limit: 1 })
    if (items[0]) return items[0]
  }
  return undefined
}
