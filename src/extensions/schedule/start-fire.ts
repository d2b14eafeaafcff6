/**
 * One fire of a cron: a row in the ledger and the background session that it starts, in one transaction. A time that has
 * its row is never fired again, on whichever node and after whichever crash.
 */
import { ParleyError } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { FireRecord, NewFire } from './store/cron-fires.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { CronRecord } from './store/crons.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ScheduleDeps } from './schedule-service.ts'

// a cron that is this far behind will not catch up by waiting
const maxQueued = 100
const replacedReason = 'A newer fire took its place.'

/** Fires of a cron that are running or waiting. One whose session is gone is not open, and is recorded as such. */
export async function listOpenFires(
  tx: StoreOperations,
  { id }: CronRecord,
  now: number,
): Promise<FireRecord[]> {
  const open: FireRecord[] = []
  for (const fire of await tx.listOpenFires(id)) {
    const runs = fire.sessionId === undefined ? [] : await tx.listOpenRuns(fire.sessionId)
    if (fire.outcome === 'queued' || runs.some(isOfFire)) open.push(fire)
    else
      await tx.updateFire(id, fire.fireAt, 'started', {
        outcome: 'interrupted',
        reason: 'Its session was deleted, or its run taken back before it began.',
        endedAt: now,
      })
  }
  return open
}

const isOfFire = ({ kind }: Run) => kind === 'background' || kind === 'workflow'

export interface Verdict {
  /** Set when the fire may not start now: the row that is recorded instead. */
  row?: NewFire
  /** The fires that it replaces. */
  replaced: FireRecord[]
}

type DueFire = Pick<NewFire, 'fireAt' | 'cause'>

/** Several missed fires that are made up for would otherwise cancel or skip each other. */
export const mayWait = ({ overlap, missed }: CronRecord, { cause }: DueFire) =>
  overlap === 'queue' || (cause === 'missed' && missed === 'all')

/** Whether a fire may start beside those that are open. */
export function judgeOverlap(cron: CronRecord, fire: DueFire, open: FireRecord[]): Verdict {
  const before = open.find(({ outcome }) => outcome === 'started') ?? open[0]
  if (!before) return { replaced: [] }
  const reason = `The fire of ${toTimestamp(before.fireAt)} is not over (overlap: ${cron.overlap}).`
  if (mayWait(cron, fire)) return { row: toQueued(fire, open, reason), replaced: [] }
  if (cron.overlap === 'cancel-previous') return { replaced: open }
  return { row: { ...fire, outcome: 'skipped', reason }, replaced: [] }
}

export function toQueued(fire: DueFire, open: FireRecord[], reason: string): NewFire {
  const waiting = open.filter(({ outcome }) => outcome === 'queued').length
  return waiting < maxQueued
    ? { ...fire, outcome: 'queued', reason }
    : { ...fire, outcome: 'skipped', reason: `${waiting} fires wait already. ${reason}` }
}

/** Who triggered it, where that was a model: its session, where it is known. */
export interface FiredBy {
  isModel: boolean
  sessionId?: string
}

/**
 * Starts the session of a fire that has its row, or the run of the workflow that the cron belongs to. What it throws must
 * undo the transaction.
 */
export async function startSession(
  tx: StoreOperations,
  deps: ScheduleDeps,
  cron: CronRecord,
  fireAt: number,
  by: FiredBy = { isModel: false },
): Promise<string> {
  const key = `cron:${cron.id}:${fireAt}`
  const { session } =
    cron.workflowId === undefined
      ? await startTask(tx, deps, cron, { key, byModel: by.isModel || isOnceOfModel(cron) })
      : await deps.startWorkflow(tx, {
          scope: cron.scope,
          workflowId: cron.workflowId,
          args: cron.task.context ?? {},
          source: 'cron',
          sourceId: cron.id,
          key,
          parentSessionId: by.sessionId,
        })
  await tx.updateFire(cron.id, fireAt, 'started', { sessionId: session.id })
  await tx.updateCron(cron.scope, cron.id, { lastFireAt: fireAt })
  await tx.recordEvent(cron.scope, {
    type: 'cron-fired',
    sessionId: session.id,
    data: { cronId: cron.id, name: cron.name, fireAt: toTimestamp(fireAt) },
  })
  return session.id
}

/** No schedule limits the rate there: a model could create the next one for every report. */
const isOnceOfModel = ({ createdIn, schedule }: CronRecord) =>
  createdIn !== undefined && schedule.startsWith('once:')

function startTask(
  tx: StoreOperations,
  { background }: ScheduleDeps,
  cron: CronRecord,
  start: { key: string; byModel: boolean },
) {
  const { announceTarget, wake, ...task } = cron.task
  return background.triggerIn(
    tx,
    cron.scope,
    { ...task, label: task.label ?? cron.name, prompt: cron.prompt },
    {
      triggerType: 'cron',
      source: 'cron',
      sourceId: cron.id,
      announceTarget,
      // what a model created has the rights of its session, and no others
      parentSessionId: cron.createdIn,
    },
    {
      ...start,
      title: cron.name,
      wake,
      // ends by its own timeout, not with the turn that created the cron
      detached: true,
      // without a target nobody is notified, not even the session that created the cron
      isAwaited: announceTarget === undefined,
    },
  )
}

/** Marks the fires that a newer one replaces; `cancelReplaced` ends them once that is stored. */
export async function markReplaced(
  tx: StoreOperations,
  cron: CronRecord,
  replaced: FireRecord[],
): Promise<void> {
  if (replaced.length === 0) return
  await tx.skipQueuedFires(cron.id, replacedReason)
  for (const { fireAt } of replaced)
    await tx.updateFire(cron.id, fireAt, 'started', { reason: replacedReason })
}

/** After a crash before this, the next fire ends them too. */
export async function cancelReplaced(
  deps: ScheduleDeps,
  { scope }: CronRecord,
  replaced: FireRecord[],
): Promise<void> {
  for (const { sessionId } of replaced)
    if (sessionId !== undefined) await cancelSession(deps, scope, sessionId).catch(ignoreGone)
}

/** Ends the workflow run or the task that is running in a session. */
async function cancelSession(
  { store, background, cancelWorkflow }: ScheduleDeps,
  scope: string,
  sessionId: string,
): Promise<void> {
  const { kind } = await store.requireSession(scope, sessionId)
  if (kind === 'background') return void (await background.cancel(scope, sessionId))
  for (const run of await store.listOpenRuns(sessionId))
    if (run.kind === 'workflow') await cancelWorkflow(scope, run.id)
}

/** Deleted or ended meanwhile: then nothing is running there. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ParleyError) || !['not_found', 'conflict'].includes(error.code)) throw error
}

/** Whether the error is about the task, and not about the store. */
export function isRefusal(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.status < 500
}

/** One failure more; pauses the cron when there were too many in a row. */
export async function countFailure(tx: StoreOperations, cron: CronRecord, why: string): Promise<void> {
  const failures = cron.failures + 1
  const isTooMany = cron.maxFailures > 0 && failures >= cron.maxFailures && cron.status === 'active'
  if (!isTooMany) return void (await tx.updateCron(cron.scope, cron.id, { failures }))
  const reason = `${failures} fire${failures === 1 ? '' : 's'} in a row failed (maxFailures). The last: ${why}`
  await tx.updateCron(cron.scope, cron.id, { failures, status: 'paused', reason, nextFireAt: null })
  await tx.skipQueuedFires(cron.id, 'The cron was paused.')
  await tx.recordEvent(cron.scope, {
    type: 'cron-paused',
    data: { cronId: cron.id, name: cron.name, reason },
  })
}
