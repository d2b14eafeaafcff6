import { ParleyError } from '../protocol/error.ts'
import type { SessionLifecycle } from './lifecycle.ts'

/** Refuses instructions that are longer than is configured here. */
export function limitInstructions({
  maxInstructionsCharacters: most,
}: {
  maxInstructionsCharacters: number
}): SessionLifecycle {
  const check = ({ instructions }: { instructions?: string | null }) => {
    const length = instructions?.length ?? 0
    if (length > most)
      throw new ParleyError(
        'payload_too_large',
        `The instructions have ${length} characters; the most is ${most} (chat.maxInstructionsCharacters).`,
      )
  }
  return {
    async createSession(tx, caller, input, proceed) {
      check(input)
      return proceed(tx, caller, input)
    },
    async checkPatch(_tx, _caller, _id, patch) {
      check(patch)
    },
  }
}
