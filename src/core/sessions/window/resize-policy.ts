import type { Size } from './cut-window.ts'
import { invalidRequest, quote } from '../../protocol/error.ts'
import type { EffectiveWindow } from './window-settings.ts'

/** That a window is to be resized, how and why. The more severe, the less it can wait. */
export interface Decision {
  /** Which handler does it: `lite`, `deep`, or one of your own. */
  type: string
  reason: string
  severity: number
  meta?: Record<string, unknown>
}

export interface Judged {
  size: Size
  /** Turns in the window that have their answer. */
  doneTurns: number
  turnsSinceResize: number
}

/** First match counts; a limit of 0 never does. */
export function defaultPolicy(
  { size, doneTurns, turnsSinceResize }: Judged,
  { maxChars, maxMessages, maxTokens, everyNTurns, rounds }: EffectiveWindow,
): Decision | undefined {
  if (maxChars > 0 && size.chars >= maxChars)
    return { type: 'deep', reason: 'max_messages_text_length', severity: 100 }
  if (maxTokens > 0 && size.tokens >= maxTokens) return { type: 'deep', reason: 'max_tokens', severity: 100 }
  if (maxMessages > 0 && size.messages > maxMessages)
    return { type: 'lite', reason: 'max_keep_messages_count', severity: 50 }
  if (rounds && doneTurns >= rounds.keep + rounds.drop)
    return { type: 'lite', reason: 'max_rounds', severity: 50 }
  if (everyNTurns > 0 && turnsSinceResize >= everyNTurns)
    return { type: 'lite', reason: 'every_n_turns', severity: 10 }
  return undefined
}

/** A type, or true for `deep`. */
export const forced = (force: string | true): Decision => ({
  type: force === true ? 'deep' : force,
  reason: 'force',
  severity: 1_000,
})

/** What a policy handler answered: nothing, a type, or a decision. */
export function readDecision(answer: unknown): Decision | undefined {
  if (answer === undefined || answer === null) return undefined
  if (typeof answer === 'string' && answer !== '') return { type: answer, reason: 'policy', severity: 0 }
  if (typeof answer === 'object') {
    const { type, reason = 'policy', severity = 0, meta } = answer as Partial<Decision>
    const isSound =
      typeof type === 'string' &&
      type !== '' &&
      typeof reason === 'string' &&
      Number.isFinite(severity) &&
      (meta === undefined || (typeof meta === 'object' && meta !== null))
    if (isSound) return { type, reason, severity, ...(meta && { meta }) }
  }
  throw invalidRequest(
    `The policy handler must answer nothing, a type, or {type, reason?, severity?, meta?}; it answered ${quote(answer)}.`,
  )
}
