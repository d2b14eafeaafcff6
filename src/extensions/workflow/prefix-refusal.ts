import { ParleyError } from '../../core/protocol/error.ts'
import { isRefusal } from '../schedule/start-fire.ts'

/** Prefixes the message of a refusal with the part of the workflow that it is about. */
export function prefixRefusal<T>(part: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new ParleyError(error.code, `${part}: ${error.message}`, { details: error.details, cause: error })
  }
}
