import type { ParleyError } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { FireRecord, NewFire } from './store/cron-fires.ts'
import type { CronRecord } from './store/crons.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ScheduleDeps } from './schedule-service.ts'
import {
  cancelReplaced,
  countFailure,
  isRefusal,
  judgeOverlap,
  listOpenFires,
  markReplaced,
  mayWait,
  startSession,
  toQueued,
  type FiredBy,
} from './start-fire.ts'
import { findDueFires, type DueFires } from './find-due-fires.ts'

/** Rolls back the transaction in which the session of a fire was refused; the next one records that. */
class RefusedFire extends Error {
  readonly fireAt: number
  readonly refusal: ParleyError

  constructor(fireAt: number, refusal: ParleyError) {
    super(refusal.message)
    this.fireAt = fireAt
    this.refusal = refusal
  }
}

type Refusals = Map<number, ParleyError>

/**
 * Fires a due cron: its rows, its sessions and its next time commit together, or nothing does and
 * it is still due. When another node was faster, nothing happens here.
 */
export async function fireCron(deps: ScheduleDeps, cron: CronRecord, now: number): Promise<void> {
  const due = await findDueOrPause(deps, cron, now)
  if (!due) return
  const refusals: Refusals = new Map()
  for (;;) {
    try {
      const replaced = await deps.store.transaction((tx) => fireAll(tx, deps, cron, { due, refusals, now }))
      return await cancelReplaced(deps, cron, replaced)
    } catch (error) {
      if (!(error instanceof RefusedFire)) throw error
      refusals.set(error.fireAt, error.refusal)
    }
  }
}

/** After an upgrade a schedule may no longer be valid: the cron is paused until a person changes it. */
async function findDueOrPause(
  { store }: ScheduleDeps,
  cron: CronRecord,
  now: number,
): Promise<DueFires | undefined> {
  try {
    return findDueFires(cron, now)
  } catch (error) {
    if (!isRefusal(error)) throw error
    await store.advanceCron(cron, { status: 'paused', reason: error.message, nextFireAt: null })
    return undefined
  }
}

/** Returns the fires that the new ones replace. */
async function fireAll(
  tx: StoreOperations,
  deps: ScheduleDeps,
  cron: CronRecord,
  { due, refusals, now }: { due: DueFires; refusals: Refusals; now: number },
): Promise<FireRecord[]> {
  const { fires, skipped, nextFireAt } = due
  const hasEnded = nextFireAt === undefined
  const isOurs = await tx.advanceCron(cron, {
    nextFireAt: nextFireAt ?? null,
    ...(hasEnded && {
      status: 'completed',
      reason: fires.length === 0 ? 'Its time is over.' : 'It has fired.',
    }),
  })
  if (!isOurs) return []
  const added = new Set(await tx.addFires(cron.id, skipped))
  const left = skipped.filter(({ fireAt }) => added.has(fireAt))
  const replaced: FireRecord[] = []
  for (const fire of fires) {
    const open = await listOpenFires(tx, cron, now)
    const refusal = refusals.get(fire.fireAt)
    const verdict = judgeOverlap(cron, fire, open)
    const row = refusal ? toRefused(cron, fire, open, refusal) : verdict.row
    // in the ledger already: the clock was set back, or the schedule changed, and this time was fired before
    const [isNew] = await tx.addFires(cron.id, [row ?? { ...fire, outcome: 'started' }])
    if (isNew === undefined) continue
    if (row) await recordUnstarted(tx, cron, row, left)
    else {
      await markReplaced(tx, cron, verdict.replaced)
      replaced.push(...verdict.replaced)
      await startOrRefuse(tx, deps, cron, fire.fireAt)
    }
  }
  await recordSkipped(tx, cron, left)
  return replaced
}

async function startOrRefuse(
  tx: StoreOperations,
  deps: ScheduleDeps,
  cron: CronRecord,
  fireAt: number,
  by?: FiredBy,
): Promise<void> {
  try {
    await startSession(tx, deps, cron, fireAt, by)
  } catch (error) {
    throw isRefusal(error) ? new RefusedFire(fireAt, error) : error
  }
}

async function recordUnstarted(
  tx: StoreOperations,
  cron: CronRecord,
  row: NewFire,
  left: NewFire[],
): Promise<void> {
  if (row.outcome === 'skipped') left.push(row)
  if (row.outcome !== 'failed') return
  const stored = await tx.lockCron(cron.scope, cron.id)
  if (stored) await countFailure(tx, stored, row.reason ?? '')
}

/** A lack of slots passes with time; anything else would be refused again and again. */
function toRefused(
  cron: CronRecord,
  fire: DueFires['fires'][number],
  open: FireRecord[],
  { code, message }: ParleyError,
): NewFire {
  if (code !== 'too_many_requests') return { ...fire, outcome: 'failed', reason: message }
  return mayWait(cron, fire)
    ? toQueued(fire, open, message)
    : { ...fire, outcome: 'skipped', reason: message }
}

async function recordSkipped(tx: StoreOperations, cron: CronRecord, left: NewFire[]): Promise<void> {
  if (left.length === 0) return
  const { fireAt, reason } = left.at(-1)!
  const times = left.reduce((sum, row) => sum + (row.times ?? 1), 0)
  await tx.recordEvent(cron.scope, {
    type: 'cron-skipped',
    data: { cronId: cron.id, name: cron.name, fireAt: toTimestamp(fireAt), times, reason },
  })
}

/** Starts the fire of a cron that has waited longest, once none of its fires is running. */
export async function startWaiting(
  deps: ScheduleDeps,
  { scope, id }: { scope: string; id: string },
  now: number,
): Promise<void> {
  try {
    await deps.store.transaction(async (tx) => {
      const cron = await tx.lockCron(scope, id)
      const open = cron ? await listOpenFires(tx, cron, now) : []
      const [next] = open
      if (!cron || !next || open.some(({ outcome }) => outcome === 'started')) return
      await tx.updateFire(id, next.fireAt, 'queued', { outcome: 'started', reason: null })
      // a manual fire may be a model's: who triggered it is not stored
      await startOrRefuse(tx, deps, cron, next.fireAt, { isModel: next.cause === 'manual' })
    })
  } catch (error) {
    if (!(error instanceof RefusedFire)) throw error
    // no free slot yet: it keeps waiting
    if (error.refusal.code === 'too_many_requests') return
    await deps.store.transaction(async (tx) => {
      const cron = await tx.lockCron(scope, id)
      const patch = { outcome: 'failed', reason: error.message, endedAt: now } as const
      if (cron && (await tx.updateFire(id, error.fireAt, 'queued', patch)))
        await countFailure(tx, cron, error.message)
    })
  }
}
