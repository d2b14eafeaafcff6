import type { TaskResult } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import { isRoom, isSeat } from '../protocol/session-kinds.ts'
import type { RunLog } from '../runs/event-hub.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

/**
 * What reached a turn while it went on, or waited for it: words of the user, results of tasks. It is taken in between
 * two steps and becomes a part of the reply it changed.
 */
export interface Steering {
  itemIds: string[]
  parts: Part[]
}

/** The inbox row of a result; `wake` asks for a turn of its own where none goes on. */
export interface DeliveredResult {
  result: TaskResult
  wake: boolean
}

export async function readSteering(store: StoreOperations, sessionId: string): Promise<Steering> {
  const items = await store.listInbox(sessionId)
  return { itemIds: items.map(({ id }) => id), parts: items.map(toPart) }
}

export function tellSteering({ parts }: Steering, log: RunLog): void {
  for (const { type, id, data } of parts) log.emit({ type: type as `data-${string}`, id: id as string, data })
}

/**
 * What a turn ended without taking in waits for the next one: words become inputs of their own, results stay where
 * they are and get a turn when they ask for it. A turn that was made for results and failed asks for no other, nor does
 * a task that is over. Answers whether there are inputs more.
 */
export async function requeueSteering(
  tx: StoreOperations,
  run: Run,
  { ids, isCompleted }: { ids: { next(prefix: string): string }; isCompleted: boolean },
): Promise<boolean> {
  const items = await tx.listInbox(run.sessionId)
  const said = items.filter(({ kind }) => kind === 'steer')
  for (const { payload } of said)
    await tx.createRun({ scope: run.scope, sessionId: run.sessionId, kind: 'turn', input: payload })
  await tx.takeInbox(
    run.sessionId,
    said.map(({ id }) => id),
  )
  const canWake = run.kind !== 'background' && (isCompleted || !(run.input as TurnInput).isWake)
  const isWanted = items.some(
    ({ kind, payload }) => kind === 'task-result' && (payload as DeliveredResult).wake,
  )
  if (canWake && isWanted) await wakeSession(tx, run.scope, run.sessionId, ids)
  return said.length > 0
}

/** A turn that takes in what waits, unless one is to come anyway. */
export async function wakeSession(
  tx: StoreOperations,
  scope: string,
  sessionId: string,
  ids: { next(prefix: string): string },
): Promise<void> {
  const session = await tx.requireSession(scope, sessionId)
  // an agent answers in its room, not by itself
  const isAgent = isSeat(session)
  const answersIn = isAgent ? session.parentId : sessionId
  // the room is gone, or never was
  if (answersIn === undefined) return
  const open = await tx.listOpenRuns(answersIn)
  const wakes = isAgent ? session.toolMeta?.label : undefined
  const isComing = ({ status, input }: Run) =>
    status === 'queued' && (!isAgent || (input as TurnInput).room?.wakes === wakes)
  if (open.some(isComing)) return
  const input: TurnInput = {
    message: {
      id: ids.next('msg'),
      parts: [{ type: 'text', text: wakeText }],
      metadata: { source: 'tasks' },
    },
    actor: { type: 'system', source: 'tasks' },
    isWake: true,
    skipSummary: true,
    skipSlashCommands: true,
  }
  const kind = isAgent || isRoom(session) ? 'room' : 'turn'
  await tx.createRun({
    scope,
    sessionId: answersIn,
    kind,
    input: wakes === undefined ? input : { ...input, room: { wakes } },
  })
}

const wakeText = '(Background tasks have reported back.)'

function toPart({ id, kind, payload }: InboxItem): Part {
  if (kind === 'task-result')
    return { type: 'data-task-result', id, data: (payload as DeliveredResult).result }
  const { message } = payload as TurnInput
  return { type: 'data-steer', id: message.id, data: { parts: message.parts } }
}
