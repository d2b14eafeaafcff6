import type { TurnInput } from '../chat/turn-input.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { BackgroundDeps } from './deps.ts'
import { settleTask } from './settle.ts'

/** Stops a task and everything below it; false when it is over already. */
export async function cancelTask(deps: BackgroundDeps, scope: string, sessionId: string): Promise<boolean> {
  const { store } = deps
  const session = await store.requireSession(scope, sessionId)
  if (session.kind !== 'background')
    throw invalidRequest('The session is no background session; stop it instead.')
  // a turn that somebody took in it after its end is not the task
  const open = (await store.listOpenRuns(sessionId)).find(({ kind }) => kind === 'background')
  // first itself: what was told to stop starts no more of them
  if (open) await cancelRun(deps, open, 'cancelled')
  await cancelTasksOf(deps, scope, sessionId)
  return open !== undefined
}

/** Stops the tasks that a session started, unless they are detached; answers how many. */
export async function cancelTasksOf(deps: BackgroundDeps, scope: string, sessionId: string): Promise<number> {
  const { store } = deps
  const told = new Set<string>()
  let count = 0
  // what is told to stop starts nothing more, but may have since it was looked for: until there is nobody new
  for (;;) {
    const below = await store.listTasksBelow(scope, sessionId)
    const untold = below.filter(({ id }) => !told.has(id))
    if (untold.length === 0) return count
    for (const run of untold) {
      told.add(run.id)
      if (await isDetachedBelow(store, run, sessionId)) continue
      if (run.kind === 'background') await cancelRun(deps, run, 'stopped with what started it')
      else await deps.cancelOther?.(run)
      count++
    }
  }
}

async function cancelRun(deps: BackgroundDeps, run: Run, reason: string): Promise<void> {
  const wasQueued = await deps.store.transaction(async (tx) => {
    const isCancelled = await tx.cancelQueuedRun(run.scope, run.id)
    if (!isCancelled) return false
    const session = await tx.requireSession(run.scope, run.sessionId)
    await settleTask(tx, deps, { session, run, status: 'cancelled', message: reason, parts: [] })
    return true
  })
  if (!wasQueued) await deps.chats().stopSession({ scope: run.scope, sessionId: run.sessionId })
}

/** Whether a task, or one between it and the session, goes on when that session is stopped. */
async function isDetachedBelow(store: StoreOperations, task: Run, sessionId: string): Promise<boolean> {
  for (let run: Run | undefined = task; run;) {
    if ((run.input as TurnInput).task?.detached === true) return true
    if (run.taskOf === undefined || run.taskOf === sessionId) return false
    run = await taskIn(store, run.scope, run.taskOf)
  }
  return false
}

/** The run that a session was made for, whatever was said in it since. */
async function taskIn(store: StoreOperations, scope: string, sessionId: string): Promise<Run | undefined> {
  for (const kind of ['background', 'workflow', 'plan']) {
    const { items } = await store.listRuns(scope, { sessionId, kind, limit: 1 })
    if (items[0]) return items[0]
  }
  return undefined
}
