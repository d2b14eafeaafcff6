import type { TaskResult } from '../../core/protocol/background.ts'
import type { FireRecord } from './store/cron-fires.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Clock } from '../../core/shared/clock.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { countFailure } from './start-fire.ts'

const maxReason = 500

/** When the session of a fire ends: its outcome in the ledger, and what that means for the cron; in the transaction of the end. */
export async function settleFire(
  deps: { clock: Clock },
  tx: StoreOperations,
  session: Session,
  result: TaskResult,
): Promise<void> {
  const { source, sourceId } = session.bgMeta ?? {}
  if (source !== 'cron' || sourceId === undefined) return
  const outcome = toOutcome(session)
  const reason = reasonOf(outcome, result)
  await settle(deps, tx, { scope: session.scope, cronId: sourceId, sessionId: session.id, outcome, reason })
}

/** How the run of a workflow ended that a fire started. */
export interface WorkflowFireEnd {
  scope: string
  cronId: string
  /** Of the run. */
  sessionId: string
  outcome: EndOutcome
  reason?: string
}

/** The same for a run of a workflow; does nothing when the cron is gone or the fire has ended. */
export const settleWorkflowFire = (
  deps: { clock: Clock },
  tx: StoreOperations,
  { outcome, reason, ...place }: WorkflowFireEnd,
): Promise<void> => {
  const result = { output: '', error: reason, degraded: false }
  return settle(deps, tx, { ...place, outcome, reason: reasonOf(outcome, result) })
}

type EndOutcome = Exclude<FireRecord['outcome'], 'started' | 'queued' | 'skipped'>

async function settle(
  { clock }: { clock: Clock },
  tx: StoreOperations,
  { scope, cronId, sessionId, outcome, ...end }: WorkflowFireEnd,
): Promise<void> {
  // before the fire, as everywhere: whoever has the cron has its fires
  const cron = await tx.lockCron(scope, cronId)
  const fire = await tx.getFireOfSession(sessionId)
  if (!cron || fire?.cronId !== cronId || fire.outcome !== 'started') return
  // of one that was cancelled, why it had to be
  const reason = outcome === 'cancelled' ? (fire.reason ?? end.reason) : end.reason
  const ended = { outcome, reason: reason ?? null, endedAt: clock.now() }
  await tx.updateFire(cron.id, fire.fireAt, 'started', ended)
  if (outcome === 'completed') {
    if (cron.failures > 0) await tx.updateCron(cron.scope, cron.id, { failures: 0 })
  } else if (outcome !== 'cancelled') await countFailure(tx, cron, reason ?? outcome)
}

function toOutcome({ bgStatus }: Session): EndOutcome {
  return bgStatus === undefined || bgStatus === 'pending' || bgStatus === 'running' ? 'failed' : bgStatus
}

const unexplained = 'It ended without a result.'

function reasonOf(
  outcome: EndOutcome,
  { error, output, degraded }: Pick<TaskResult, 'error' | 'output' | 'degraded'>,
): string | undefined {
  if (outcome === 'cancelled') return error
  if (outcome === 'completed') return degraded ? 'No result was submitted; its last words count.' : undefined
  return cut(error ?? (output || unexplained), maxReason)
}
