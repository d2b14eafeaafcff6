import type {
  CreateCron,
  Cron,
  CronFirePage,
  CronListQuery,
  CronPage,
  CronPreview,
  FireListQuery,
  PreviewCron,
  UpdateCron,
} from './protocol/cron.ts'
import { maxMissed } from './protocol/cron.ts'
import { conflict, quote } from '../../core/protocol/error.ts'
import { checkAt } from '../../core/protocol/issues.ts'
import { fromTimestamp, toTimestamp } from '../../core/protocol/names.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { CronRecord } from './store/crons.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { recordChange, requireFree, requireLocked } from './cron-change.ts'
import { toCron, toCronFire } from './cron-record.ts'
import { pickTask, requireStartable, type ScheduleCaller, type ScheduleDeps } from './schedule-service.ts'
import { previewFires, requireNextFire } from './next-fire.ts'
import { requireTimeZone } from '../../core/chat/time-zone.ts'

export const defaultTimeZone = 'UTC'
/** Defaults of a cron. */
export const cronDefaults = { missed: 'once', maxMissed, overlap: 'skip', maxFailures: 5 } as const
const maxName = 60

export function createCron(
  deps: ScheduleDeps,
  store: StoreOperations,
  caller: ScheduleCaller,
  { name, schedule, timeZone = defaultTimeZone, prompt, ...input }: Omit<CreateCron, 'scope'>,
): Promise<Cron> {
  const nextFireAt = requireFire(schedule, timeZone, deps.clock.now())
  return store.transaction(async (tx) => {
    const { scope, sessionId } = caller
    await tx.ensureScope(scope)
    const task = pickTask(input)
    await requireStartable(tx, deps, scope, task)
    const cron = await tx.createCron({
      scope,
      name: name ?? beginningOf(prompt),
      schedule,
      timeZone,
      prompt,
      task,
      missed: input.missed ?? cronDefaults.missed,
      maxMissed: input.maxMissed ?? cronDefaults.maxMissed,
      overlap: input.overlap ?? cronDefaults.overlap,
      maxFailures: input.maxFailures ?? cronDefaults.maxFailures,
      nextFireAt,
      createdIn: sessionId,
    })
    await recordChange(tx, caller, 'created', cron, { schedule, timeZone })
    return toCron(cron)
  })
}

export async function getCron(store: StoreOperations, { scope }: ScheduleCaller, id: string): Promise<Cron> {
  return toCron(await store.requireCron(scope, id))
}

export async function listCrons(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: ScheduleCaller,
  { status, limit, cursor, createdIn }: CronListQuery & { createdIn?: string },
): Promise<CronPage> {
  const page = await store.listCrons(scope, { status, createdIn, limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toCron) }
}

/** A new schedule or zone applies from now on; a completed cron becomes active again with it. */
export function updateCron(
  deps: ScheduleDeps,
  store: StoreOperations,
  caller: ScheduleCaller,
  id: string,
  { scope: _scope, ...patch }: UpdateCron,
): Promise<Cron> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    requireFree('cron', before)
    // fields that are not sent were valid once and may refer to something that is gone: that must not block other changes
    await requireStartable(tx, deps, caller.scope, pickTask(patch))
    const { name, schedule, timeZone, prompt, missed, overlap, maxFailures } = patch
    const cron = await tx.updateCron(caller.scope, id, {
      name,
      schedule,
      timeZone,
      prompt,
      task: pickTask(patch, before.task),
      missed,
      maxMissed: patch.maxMissed,
      overlap,
      maxFailures,
      ...rescheduled(deps, before, schedule, timeZone),
    })
    await recordChange(tx, caller, 'updated', cron, { fields: Object.keys(patch) })
    return toCron(cron)
  })
}

/** What else a new schedule or zone changes of a cron. */
export function rescheduled(
  { clock }: Pick<ScheduleDeps, 'clock'>,
  before: CronRecord,
  schedule = before.schedule,
  timeZone = before.timeZone,
) {
  if (schedule === before.schedule && timeZone === before.timeZone) return {}
  const nextFireAt = requireFire(schedule, timeZone, clock.now())
  if (before.status === 'paused') return {}
  return { nextFireAt, status: 'active' as const, reason: null }
}

/** The next fire of the schedule that was sent; an error names its field. */
function requireFire(schedule: string, timeZone: string, now: number): number {
  checkAt(['timeZone'], () => requireTimeZone(timeZone))
  return checkAt(['schedule'], () => requireNextFire(schedule, timeZone, now))
}

/** Sessions that its fires started stay, running ones too. */
export function deleteCron(store: StoreOperations, caller: ScheduleCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const cron = await requireLocked(tx, caller.scope, id)
    requireFree('cron', cron)
    await tx.deleteCron(caller.scope, id)
    await recordChange(tx, caller, 'deleted', cron)
  })
}

/** Idempotent. Running fires are not stopped; waiting ones are not started any more. */
export function pauseCron(store: StoreOperations, caller: ScheduleCaller, id: string): Promise<Cron> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    if (before.status === 'paused') return toCron(before)
    if (before.status === 'completed')
      throw conflict(`The cron ${quote(id)} is completed; it has no fire to come.`)
    const reason = `Paused by ${caller.actor.id}.`
    const cron = await tx.updateCron(caller.scope, id, { status: 'paused', reason, nextFireAt: null })
    await tx.skipQueuedFires(id, 'The cron was paused.')
    await recordChange(tx, caller, 'paused', cron, { reason })
    return toCron(cron)
  })
}

/** Continues with the next time after now, and resets the count of failures. */
export function resumeCron(
  deps: Pick<ScheduleDeps, 'clock'>,
  store: StoreOperations,
  caller: ScheduleCaller,
  id: string,
): Promise<Cron> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    if (before.status === 'active') return toCron(before)
    const nextFireAt = requireNextFire(before.schedule, before.timeZone, deps.clock.now())
    const cron = await tx.updateCron(caller.scope, id, {
      status: 'active',
      reason: null,
      failures: 0,
      nextFireAt,
    })
    await recordChange(tx, caller, 'resumed', cron)
    return toCron(cron)
  })
}

/** Ends it early: it does not fire until it is resumed. */
export function completeCron(store: StoreOperations, caller: ScheduleCaller, id: string): Promise<Cron> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    if (before.status === 'completed') return toCron(before)
    const reason = `Completed by ${caller.actor.id}.`
    const cron = await tx.updateCron(caller.scope, id, { status: 'completed', reason, nextFireAt: null })
    await tx.skipQueuedFires(id, 'The cron was completed.')
    await recordChange(tx, caller, 'updated', cron, { fields: ['status'], status: 'completed' })
    return toCron(cron)
  })
}

export async function listFires(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: ScheduleCaller,
  id: string,
  { limit, cursor }: FireListQuery,
): Promise<CronFirePage> {
  await store.requireCron(scope, id)
  const page = await store.listFires(id, { limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toCronFire) }
}

export function previewCron(
  { clock }: Pick<ScheduleDeps, 'clock'>,
  { schedule, timeZone = defaultTimeZone, count = 5, after }: PreviewCron,
): CronPreview {
  const from = after === undefined ? clock.now() : fromTimestamp(after)
  checkAt(['timeZone'], () => requireTimeZone(timeZone))
  const fires = checkAt(['schedule'], () => previewFires(schedule, timeZone, from, count))
  const items = fires.map(({ at, local, offset, isShifted }) => ({
    at: toTimestamp(at),
    local,
    offset,
    ...(isShifted && { shifted: true as const }),
  }))
  return { timeZone, items }
}

const beginningOf = (prompt: string) =>
  [...prompt.replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, maxName).join('') || 'cron'
