import type { Run } from '../store/queries/run-row.ts'
import { isOfClass } from '../shared/type-checks.ts'

/**
 * Why an owner lets go of a run without ending it: the server stops, or another owner has it already. The run stays
 * as it is stored, and whoever claims it goes on from there.
 */
export class HandOver extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'HandOver'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOfClass(value, this)
  }
}

/** Why a run is stopped whose time is over. */
export class TimedOut extends Error {
  constructor(timeoutMs: number | undefined) {
    super(`It took longer than ${timeoutMs ?? '?'} ms.`)
    this.name = 'TimedOut'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOfClass(value, this)
  }
}

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
