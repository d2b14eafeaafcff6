import type { Run } from '../store/queries/run-row.ts'
import { isOfClass } from '../shared/type-checks.ts'

/**
 * Why an owner releases a run without ending it: the server stops, or another owner has it already. The run stays
 * as it is stored, and the next owner resumes from there.
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

/** Why a run is stopped that took too long. */
export class TimedOut extends Error {
  constructor(timeoutMs: number | undefined) {
    super(`It took longer than ${timeoutMs ?? '?'} ms.`)
    this.name = 'TimedOut'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOfClass(value, this)
  }
}

/** Why a run may not continue; undefined while it may. Throws the `HandOver` if another owner takes it over. */
export function whyStopped(
  signal: AbortSignal,
  { stopReason, remainingMs }: Pick<Run, 'stopReason' | 'remainingMs'>,
): 'timeout' | 'cancelled' | undefined {
  const reason: unknown = signal.aborted ? signal.reason : stopReason
  if (reason instanceof HandOver) throw reason
  if (reason instanceof TimedOut || (remainingMs !== undefined && remainingMs <= 0)) return 'timeout'
  return reason === undefined ? undefined : 'cancelled'
}
