/** How full the window of a session is. */
export interface Fullness {
  tokens: number
  /** 0 to 1; undefined when the window has no limit in tokens. */
  share?: number
  level: 'calm' | 'high' | 'full'
}

export function toFullness({ tokens, limitTokens }: { tokens: number; limitTokens?: number }): Fullness {
  if (limitTokens === undefined || limitTokens <= 0) return { tokens, level: 'calm' }
  const share = Math.min(1, Math.max(0, tokens / limitTokens))
  return { tokens, share, level: share >= 0.9 ? 'full' : share >= 0.75 ? 'high' : 'calm' }
}

export const toPercent = (share: number) => Math.floor(share * 100)

/** The drawn part of a circle of this circumference; a little is shown as soon as there is anything. */
export const toArc = (share: number, circumference: number) =>
  share <= 0 ? 0 : Math.max(circumference * 0.02, circumference * share)
