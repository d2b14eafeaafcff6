import type { EffectiveWindow } from './settings.ts'

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

/** A window is never cut to its limit: the room below lets the prompt only grow for a while, which providers cache. */
export const keptShare = 0.6

/** Where turns begin. What stands before the first input belongs to the first turn. */
export function turnStarts(messages: readonly { role: string }[]): number[] {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  if (messages.length > 0 && starts[0] !== 0) starts[0] = 0
  return starts
}

export const sizeOf = (messages: readonly Sized[]): Size =>
  messages.reduce(
    (sum, { chars, tokens }) => ({
      messages: sum.messages + 1,
      chars: sum.chars + chars,
      tokens: sum.tokens + tokens,
    }),
    { messages: 0, chars: 0, tokens: 0 },
  )

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
  let size: Size = { messages: 0, chars: 0, tokens: 0 }
  for (let turn = starts.length - 1; turn >= 0; turn--) {
    const start = starts[turn]!
    const more = sizeOf(messages.slice(start, kept))
    size = {
      messages: size.messages + more.messages,
      chars: size.chars + more.chars,
      tokens: size.tokens + more.tokens,
    }
    if (turn < starts.length - 1 && !fits({ ...size, turns: starts.length - turn })) break
    kept = start
  }
  return Math.min(kept, Math.max(0, messages.length - 1))
}

/** The usual cut: back to 60 % of every limit that is set. */
export function cutBack(messages: readonly Sized[], window: EffectiveWindow): number {
  const { maxChars, maxMessages, maxTokens, everyNTurns, rounds } = window
  // an input that waits for its answer is a turn beside those that are counted
  const open = messages.at(-1)?.role === 'user' ? 1 : 0
  const share = (limit: number) => Math.max(1, Math.floor(limit * keptShare))
  return cutToFit(messages, ({ messages: count, chars, tokens, turns }) => {
    if (maxChars > 0 && chars > share(maxChars)) return false
    if (maxMessages > 0 && count > share(maxMessages)) return false
    if (maxTokens > 0 && tokens > share(maxTokens)) return false
    if (everyNTurns > 0 && turns > share(everyNTurns) + open) return false
    return !rounds || turns <= rounds.keep + open
  })
}
