import { isOfClass } from '../shared/same-class.ts'

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
