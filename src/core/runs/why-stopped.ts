import type { Run } from '../store/queries/run-row.ts'
import { HandOver } from './hand-over.ts'
import { TimedOut } from './timed-out.ts'

/** Why a run may not go on; undefined while it may. Throws the `HandOver` where another owner goes on with it. */
export function whyStopped(
  signal: AbortSignal,
  { stopReason, remainingMs }: Pick<Run, 'stopReason' | 'remainingMs'>,
): 'timeout' | 'cancelled' | undefined {
  const reason: unknown = signal.aborted ? signal.reason : stopReason
  if (reason instanceof HandOver) throw reason
  if (reason instanceof TimedOut || (remainingMs !== undefined && remainingMs <= 0)) return 'timeout'
  return reason === undefined ? undefined : 'cancelled'
}
