import { createHash } from 'node:crypto'
import type { TurnInput } from '../chat/turn-input.ts'
import { conflict, quote } from '../protocol/error.ts'
import type { Session } from '../protocol/session.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { isEnded } from './deliver-result.ts'
import type { BackgroundDeps } from './task-deps.ts'
import { requirePlace } from './task-limits.ts'
import { budgetOf, requireRunning } from './start-task.ts'

export interface TaskMessage {
  scope: string
  taskId: string
  text: string
  /** The session that sends it and receives the result. */
  fromId: string
  /** The run that sends it; its budget pays for the result. */
  parentRun?: Run
  /** Said once, however often it is called for. */
  key: string
}

/**
 * Sends a message to a task. A running task takes it in after its current step; a finished one resumes with it, in
 * a run of its own with everything it knows, and reports once more. Of what comes just before an end, the end makes
 * that run.
 */
export async function messageTask(
  tx: StoreOperations,
  deps: BackgroundDeps,
  message: TaskMessage,
): Promise<{ status: 'delivered' | 'continued' }> {
  const { scope, taskId, key } = message
  // its end needs this row: it sees the message, or this sees the end
  await tx.lockSession(scope, taskId)
  const session = await tx.requireSession(scope, taskId)
  const before = await requireOwnRun(tx, deps, session)
  const input = toInput(message, before, await tx.requireSession(scope, message.fromId))
  const item = { kind: 'steer', dedupeKey: `message:${key}`, payload: input }
  const isNew = await tx.deliver(taskId, item)
  if (!isEnded(session)) return { status: 'delivered' }
  if (!isNew) return { status: 'continued' }
  const delivered = (await tx.listInbox(taskId)).filter(
    ({ payload }) => (payload as TurnInput).message?.id === input.message.id,
  )
  await tx.takeInbox(
    taskId,
    delivered.map(({ id }) => id),
  )
  await resumeTask(tx, deps, message, { session, before, input })
  return { status: 'continued' }
}

async function requireOwnRun(tx: StoreOperations, { types }: BackgroundDeps, session: Session): Promise<Run> {
  const { id, scope, kind } = session
  const { items } = await tx.listRuns(scope, { sessionId: id, kind: 'background', limit: 1 })
  if (kind !== 'background' || types.of(session).isStep || !items[0])
    throw conflict(`${quote(id)} is no task that can be talked to: it is part of a run, or has none here.`)
  return items[0]
}

function toInput({ text, key, fromId }: TaskMessage, { input }: Run, from: Session): TurnInput {
  const before = input as TurnInput
  const id = `msg_${createHash('sha256').update(key).digest('hex').slice(0, 26)}`
  return {
    ...before,
    message: { id, parts: [{ type: 'text', text }], metadata: { source: 'parent', sessionId: fromId } },
    task: {
      ...before.task,
      deliverTo: fromId,
      ...(isEnded(from) && { toEnded: true }),
      wake: true,
      isContinued: true,
    },
  }
}

async function resumeTask(
  tx: StoreOperations,
  { ids, limits }: BackgroundDeps,
  { scope, taskId, fromId, parentRun }: TaskMessage,
  { session, before, input }: { session: Session; before: Run; input: TurnInput },
): Promise<void> {
  const { depth = 0 } = session.bgMeta ?? {}
  await requirePlace(tx, limits, fromId, depth, limits.overLimit === 'queue')
  if (parentRun) await requireRunning(tx, parentRun)
  const budgetId = budgetOf(parentRun)
  const { remainingMs = Infinity } = budgetId === undefined ? {} : await tx.admitTask(budgetId, depth)
  const runId = ids.next('run')
  await tx.createRun({
    id: runId,
    scope,
    sessionId: taskId,
    kind: 'background',
    parentId: parentRun?.id,
    depth,
    timeoutMs: Math.min(before.timeoutMs ?? limits.timeoutMs, remainingMs),
    taskOf: fromId,
    input,
    budget: budgetId === undefined ? undefined : { id: budgetId },
  })
  await tx.updateSession(scope, taskId, { bgStatus: 'pending', finishedAt: null })
  await tx.recordEvent(scope, {
    type: 'bg:session.continued',
    sessionId: taskId,
    data: { runId, label: input.task?.label, parentSessionId: fromId },
  })
}
