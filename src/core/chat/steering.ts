import type { TaskResult } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { NewRun } from '../store/queries/runs.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'
import { wakeSession, type WakeDeps } from './wake-session.ts'

/**
 * What reached a turn while it was running, or was waiting for it: words of the user, results of tasks. It is taken in between
 * two steps and becomes a part of the reply it changed.
 */
export interface Steering {
  itemIds: string[]
  parts: Part[]
}

/** The inbox row of a result; `wake` requests a turn of its own if none is running. */
export interface DeliveredResult {
  result: TaskResult
  wake: boolean
  /** Of a task that the clock or a program started. */
  isPaced?: true
}

export const noSteering: Steering = { itemIds: [], parts: [] }

export async function readSteering(store: StoreOperations, sessionId: string): Promise<Steering> {
  const items = await store.listInbox(sessionId)
  return { itemIds: items.map(({ id }) => id), parts: items.map(toPart) }
}

export function emitSteering({ parts }: Steering, log: RunLog): void {
  for (const { type, id, data } of parts) log.emit({ type: type as `data-${string}`, id: id as string, data })
}

/**
 * What a turn ended without taking in waits for the next one: words become inputs of their own, results stay where
 * they are and get a turn if they request one. A turn that was made for results and failed requests no other, nor does
 * a finished task. Returns whether there are further inputs, and which results stay.
 */
export async function requeueSteering(
  tx: StoreOperations,
  run: Run,
  unread: readonly InboxItem[],
  { isCompleted, ...deps }: WakeDeps & { isCompleted: boolean },
): Promise<{ hasInputs: boolean; results: InboxItem[] }> {
  const said = unread.filter(({ kind }) => kind === 'steer')
  const results = unread.filter(({ kind }) => kind === 'task-result')
  for (const { payload } of said) await tx.createRun(toRun(run, payload as TurnInput))
  await tx.takeInbox(
    run.sessionId,
    said.map(({ id }) => id),
  )
  const canWake = run.kind !== 'background' && (isCompleted || !(run.input as TurnInput).isWake)
  const wanted = results.map(({ payload }) => payload as DeliveredResult).filter(({ wake }) => wake)
  if (canWake && wanted.length > 0)
    await wakeSession(tx, deps, run, { isPaced: wanted.some(({ isPaced }) => isPaced) })
  return { hasInputs: said.length > 0, results }
}

/** A message to a task from the one that started it becomes a task again; any other becomes a turn. */
function toRun({ id, scope, sessionId, depth, timeoutMs, taskOf, budget }: Run, input: TurnInput): NewRun {
  if (!input.task) return { scope, sessionId, kind: 'turn', input }
  // a budget of its own ends with the run
  const isShared = (budget as { id?: string } | undefined)?.id !== id
  return {
    scope,
    sessionId,
    kind: 'background',
    depth,
    timeoutMs,
    taskOf,
    budget: isShared ? budget : undefined,
    input,
  }
}

function toPart({ id, kind, payload }: InboxItem): Part {
  if (kind === 'task-result')
    return { type: 'data-task-result', id, data: (payload as DeliveredResult).result }
  const { message } = payload as TurnInput
  return { type: 'data-steer', id: message.id, data: { parts: message.parts } }
}
