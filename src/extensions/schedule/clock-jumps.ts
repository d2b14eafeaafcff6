import type { ScheduleDeps } from './schedule-service.ts'
import { parseSchedule } from './next-fire.ts'

/** Clocks of nodes differ by less than this; a row from further ahead was written by a node whose clock was wrong. */
export const clockSkewMs = 60_000

/**
 * A clock that was ahead has advanced a cron to a time far away, and recorded times as missed that have not come yet. When it
 * is set back, both are undone; a time that was fired meanwhile keeps its row, and is not fired again.
 */
export async function mendAfterJump(
  { store }: ScheduleDeps,
  { scope, id }: { scope: string; id: string },
  now: number,
): Promise<void> {
  await store.transaction(async (tx) => {
    const cron = await tx.lockCron(scope, id)
    if (cron?.status !== 'active' || cron.nextFireAt === undefined) return
    const next = parseSchedule(cron.schedule, cron.timeZone).next(now)
    if (next === undefined || next >= cron.nextFireAt) return
    await tx.deleteMissedAfter(id, now)
    await tx.updateCron(scope, id, { nextFireAt: next })
  })
}
