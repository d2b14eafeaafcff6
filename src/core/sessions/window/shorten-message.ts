import type { Part } from '../../protocol/message.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import { keptShare } from './cut-window.ts'
import { measureChars, measureTokens } from './measure-messages.ts'
import type { EffectiveWindow } from './window-settings.ts'

// below this a text is of no use any more
const shortest = 200
const headShare = 0.7

/**
 * A message that alone is over a limit, as the model gets to see it: its longest texts with their middle left out.
 * Depends on the message and the limits only, so it is the same at every turn. The log keeps the whole.
 */
export function shorten<M extends WindowMessage>(message: M, limits: EffectiveWindow, seq = message.seq): M {
  const allowed = allowedChars(message, limits)
  if (allowed === undefined) return message
  const parts = [...message.parts]
  let excess = measureChars(own(message)) - allowed
  const longestFirst = parts
    .map((part, index) => ({ index, length: textOf(part)?.length ?? 0 }))
    .sort((a, b) => b.length - a.length)
  for (const { index, length } of longestFirst) {
    if (excess <= 0 || length <= shortest) break
    const kept = Math.max(shortest, length - excess)
    parts[index] = withText(parts[index]!, leaveOut(textOf(parts[index]!)!, kept, seq))
    excess -= length - kept
  }
  return { ...message, parts }
}

/** Without what was sent along: that is not known yet when the message is first sent. */
const own = ({ role, parts }: WindowMessage) => ({ role, parts })

/** Undefined when the message is within every limit. */
function allowedChars(message: WindowMessage, { maxChars, maxTokens }: EffectiveWindow): number | undefined {
  const chars = measureChars(own(message))
  const allowances: number[] = []
  if (maxChars > 0 && chars >= maxChars) allowances.push(Math.floor(maxChars * keptShare))
  if (maxTokens > 0) {
    const tokens = measureTokens(own(message))
    if (tokens >= maxTokens) allowances.push(Math.floor((chars * maxTokens * keptShare) / tokens))
  }
  return allowances.length > 0 ? Math.min(...allowances) : undefined
}

function textOf(part: Part): string | undefined {
  if (part.type === 'text') return part.text as string
  if (part.state !== 'output-available') return undefined
  return typeof part.output === 'string' ? part.output : (JSON.stringify(part.output) ?? '')
}

const withText = (part: Part, text: string): Part =>
  part.type === 'text' ? { ...part, text } : { ...part, output: text }

function leaveOut(text: string, kept: number, seq: number): string {
  const head = Math.floor(kept * headShare)
  const note = `\n[… ${text.length - kept} characters left out; message ${seq} of the log has them, see the tool recall …]\n`
  // a cut may fall between the halves of one character
  return text.slice(0, head).toWellFormed() + note + text.slice(text.length - (kept - head)).toWellFormed()
}
