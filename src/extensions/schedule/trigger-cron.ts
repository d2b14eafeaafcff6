import type { CronFire } from './protocol/cron.ts'
import { conflict } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { NewFire } from './store/cron-fires.ts'
import type { CronRecord } from './store/crons.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { auditCron, requireLocked } from './cron-change.ts'
import { toCronFire } from './cron-record.ts'
import type { ScheduleCaller, ScheduleDeps } from './schedule-service.ts'
import { cancelReplaced, judgeOverlap, listOpenFires, markReplaced, startSession } from './start-fire.ts'

/**
 * A manual fire, regardless of schedule and status. It follows the overlap policy, but is refused where that would skip
 * it, and over a limit: the caller can read why. Call `settle` when it is committed.
 */
export function triggerCron(
  deps: ScheduleDeps,
  store: StoreOperations,
  caller: ScheduleCaller,
  id: string,
): Promise<{ fire: CronFire; settle(): Promise<void> }> {
  return store.transaction(async (tx) => {
    const cron = await requireLocked(tx, caller.scope, id)
    const now = deps.clock.now()
    const open = await listOpenFires(tx, cron, now)
    const verdict = judgeOverlap(cron, { fireAt: now, cause: 'manual' }, open)
    if (verdict.row?.outcome === 'skipped')
      throw conflict(`${verdict.row.reason} Wait for it, or cancel it.`, { sessionId: open[0]?.sessionId })
    const outcome = verdict.row?.outcome ?? 'started'
    const fireAt = await addManual(tx, cron, now, { outcome, reason: verdict.row?.reason })
    await markReplaced(tx, cron, verdict.replaced)
    await auditCron(tx, caller, 'trigger', cron, { fireAt: toTimestamp(fireAt) })
    const { sessionId } = caller
    const by = { isModel: sessionId !== undefined, sessionId }
    if (outcome === 'started') await startSession(tx, deps, cron, fireAt, by)
    const { items } = await tx.listFires(id, { limit: 1, cursor: String(fireAt + 1) })
    return { fire: toCronFire(items[0]!), settle: () => cancelReplaced(deps, cron, verdict.replaced) }
  })
}

/** Two by hand in one millisecond are two: the second is written down a millisecond later. */
async function addManual(
  tx: StoreOperations,
  { id }: CronRecord,
  now: number,
  row: Pick<NewFire, 'outcome' | 'reason'>,
): Promise<number> {
  for (let fireAt = now; ; fireAt++) {
    const [added] = await tx.addFires(id, [{ ...row, fireAt, cause: 'manual' }])
    if (added !== undefined) return fireAt
  }
}
