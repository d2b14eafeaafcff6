import type { TaskResult } from '../protocol/background.ts'
import type { FireRecord } from '../store/queries/cron-fires.ts'
import type { Session } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { StoreOperations } from '../store/store.ts'
import { countFailure } from './fire.ts'

const maxReason = 500

/** When the session of a fire ends: its outcome in the ledger, and what that means for the cron; in the transaction of the end. */
export async function settleFire(
  { clock }: { clock: Clock },
  tx: StoreOperations,
  session: Session,
  result: TaskResult,
): Promise<void> {
  const { source, sourceId } = session.bgMeta ?? {}
  if (source !== 'cron' || sourceId === undefined) return
  // before the fire, as everywhere: whoever has the cron has its fires
  const cron = await tx.lockCron(session.scope, sourceId)
  const fire = await tx.getFireOfSession(session.id)
  if (!cron || fire?.outcome !== 'started') return
  const outcome = toOutcome(session)
  const reason = reasonOf(outcome, fire, result)
  const ended = { outcome, reason: reason ?? null, endedAt: clock.now() }
  await tx.updateFire(cron.id, fire.fireAt, 'started', ended)
  if (outcome === 'completed') {
    if (cron.failures > 0) await tx.updateCron(cron.scope, cron.id, { failures: 0 })
  } else if (outcome !== 'cancelled') await countFailure(tx, cron, reason ?? outcome)
}

function toOutcome({ bgStatus }: Session): FireRecord['outcome'] {
  return bgStatus === undefined || bgStatus === 'pending' || bgStatus === 'running' ? 'failed' : bgStatus
}

function reasonOf(
  outcome: FireRecord['outcome'],
  fire: FireRecord,
  { error, output, degraded }: TaskResult,
): string | undefined {
  if (outcome === 'cancelled') return fire.reason ?? error
  if (outcome === 'completed') return degraded ? 'No result was submitted; its last words count.' : undefined
  const why = error ?? (output || 'It ended without a result.')
  return why.length > maxReason ? `${why.slice(0, maxReason).toWellFormed()}…` : why
}
