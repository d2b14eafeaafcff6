/**
 * Turns that begin by themselves, for results of tasks. A model that starts a task for every report would never end
 * with nobody there, so a session has so many of them in a row; the next input of a person allows as many again.
 */
import { toTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

export interface WakeDeps {
  ids: { next(prefix: string): string }
  clock: Clock
  types: SessionTypes
  /** Default 20; 0 begins none. */
  maxWakes?: number
}

export const defaultMaxWakes = 20

interface Place {
  scope: string
  sessionId: string
}

/** A turn that takes in what waits, unless one is to come anyway, or as many began as may; false when none comes. */
export async function wakeSession(
  tx: StoreOperations,
  deps: WakeDeps,
  { scope, sessionId }: Place,
  { isPaced = false }: { isPaced?: boolean } = {},
): Promise<boolean> {
  const session = await tx.requireSession(scope, sessionId)
  const type = deps.types.of(session)
  const target = type.wake ? type.wake(session) : { sessionId, kind: 'turn' }
  if (!target) return false
  const open = await tx.listOpenRuns(target.sessionId)
  const isComing = ({ status, input }: Run) =>
    status === 'queued' && (target.isSame?.(input as TurnInput) ?? true)
  if (open.some(isComing)) return true
  const answers = target.sessionId === sessionId ? session : await tx.requireSession(scope, target.sessionId)
  // the clock, or the caller, sets the pace of what it did not start itself
  if (!isPaced && !(await countWake(tx, deps, answers))) return false
  const input: TurnInput = {
    message: {
      id: deps.ids.next('msg'),
      parts: [{ type: 'text', text: wakeText }],
      metadata: { source: 'tasks' },
    },
    actor: { type: 'system', source: 'tasks' },
    isWake: true,
    skipSummary: true,
    skipSlashCommands: true,
    ...type.flags,
    ...target.input,
  }
  await tx.createRun({ scope, sessionId: target.sessionId, kind: target.kind, input })
  return true
}

const wakeText = '(Background tasks have reported back.)'

/** Whether one more may begin. That none may is reported once: in the record, in the log, and to followers. */
async function countWake(
  tx: StoreOperations,
  { clock, maxWakes = defaultMaxWakes }: WakeDeps,
  { id, scope, wakes = { count: 0 } }: Session,
): Promise<boolean> {
  const { count, stoppedAt } = wakes
  if (count < maxWakes) {
    await tx.updateSession(scope, id, { wakes: { count: count + 1 } })
    return true
  }
  if (stoppedAt !== undefined) return false
  await tx.updateSession(scope, id, { wakes: { count, stoppedAt: toTimestamp(clock.now()) } })
  await tx.appendMessages(scope, id, [
    {
      role: 'system',
      parts: [{ type: 'text', text: describeStop(count) }],
      metadata: { source: 'tasks', from: 'tasks' },
    },
  ])
  await tx.recordEvent(scope, {
    type: 'session-wakes-stopped',
    sessionId: id,
    data: { count, limit: maxWakes },
  })
  return false
}

const describeStop = (count: number) =>
  `No turn begins by itself any more: ${count} did in a row, for results of tasks, with nobody there (background.maxWakes). Results that come wait for the next message.`

/** Somebody is there. */
export async function allowWakes(tx: StoreOperations, { id, scope, wakes }: Session): Promise<void> {
  if (wakes) await tx.updateSession(scope, id, { wakes: null })
}
