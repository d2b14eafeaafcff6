import type { EffectiveWindow } from './window-settings.ts'

/** A message as far as cutting is concerned. */
export interface Sized {
  role: string
  chars: number
  /** 0 where no limit of tokens is set. */
  tokens: number
}

export interface Size {
  messages: number
  chars: number
  tokens: number
}

/** A window is never cut to its limit: the space below lets the prompt only grow for a while, which providers cache. */
export const keptShare = 0.6
// of long turns: less than this would forget without need, more would have to be cut again at once
const leastShare = 0.4
const mostShare = 0.8

/** Where turns begin. What stands before the first input belongs to the first turn. */
export function turnStarts(messages: readonly { role: string }[]): number[] {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  if (messages.length > 0 && starts[0] !== 0) starts[0] = 0
  return starts
}

export const nothing: Size = { messages: 0, chars: 0, tokens: 0 }

export const addSizes = (one: Size, other: Size): Size => ({
  messages: one.messages + other.messages,
  chars: one.chars + other.chars,
  tokens: one.tokens + other.tokens,
})

export const sizeOf = (messages: readonly Sized[]): Size =>
  messages.reduce((sum, { chars, tokens }) => addSizes(sum, { messages: 1, chars, tokens }), nothing)

export function isWithin(
  size: Size,
  limits: Pick<EffectiveWindow, 'maxChars' | 'maxMessages' | 'maxTokens'>,
) {
  const { maxChars, maxMessages, maxTokens } = limits
  return (
    (maxChars === 0 || size.chars < maxChars) &&
    (maxMessages === 0 || size.messages <= maxMessages) &&
    (maxTokens === 0 || size.tokens < maxTokens)
  )
}

/** Index of the first message to keep: whole turns, newest first, while they fit; the newest turn always stays. */
export function cutToFit(
  messages: readonly Sized[],
  fits: (size: Size & { turns: number }) => boolean,
): number {
  const starts = turnStarts(messages)
  let kept = messages.length
  let size = nothing
  for (let turn = starts.length - 1; turn >= 0; turn--) {
    const start = starts[turn]!
    size = addSizes(size, sizeOf(messages.slice(start, kept)))
    if (turn < starts.length - 1 && !fits({ ...size, turns: starts.length - turn })) break
    kept = start
  }
  return Math.min(kept, Math.max(0, messages.length - 1))
}

/**
 * The usual cut: back to about 60 % of every limit that is set. Turns are whole, so that is the most turns within 60 %, and
 * one more where these would be less than 40 % and it leaves space for a while. `ahead` is what comes in next.
 */
export function cutBack(messages: readonly Sized[], window: EffectiveWindow, ahead: Size = nothing): number {
  const { everyNTurns, rounds } = window
  // an input that waits for its answer is a turn beside those that are counted
  const open = messages.at(-1)?.role === 'user' ? 1 : 0
  const fits = (size: Size & { turns: number }, part: number) =>
    isWithinShare(addSizes(size, ahead), window, part) &&
    (everyNTurns === 0 || size.turns <= share(everyNTurns, keptShare) + open) &&
    (!rounds || size.turns <= rounds.keep + open)
  const start = cutToFit(messages, (size) => fits(size, keptShare))
  const starts = turnStarts(messages)
  const turn = starts.indexOf(start)
  const earlier = starts[turn - 1]
  if (earlier === undefined) return start
  if (!isWithinShare(addSizes(sizeOf(messages.slice(start)), ahead), window, leastShare)) return start
  const more = { ...sizeOf(messages.slice(earlier)), turns: starts.length - turn + 1 }
  return fits(more, mostShare) ? earlier : start
}

const share = (limit: number, part: number) => Math.max(1, Math.floor(limit * part))

function isWithinShare(size: Size, { maxChars, maxMessages, maxTokens }: EffectiveWindow, part: number) {
  return (
    (maxChars === 0 || size.chars <= share(maxChars, part)) &&
    (maxMessages === 0 || size.messages <= share(maxMessages, part)) &&
    (maxTokens === 0 || size.tokens <= share(maxTokens, part))
  )
}
