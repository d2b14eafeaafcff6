import { isOfClass } from '../shared/same-class.ts'

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
