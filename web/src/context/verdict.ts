import type { WordsOf } from '../shell/texts.ts'
import type { CacheVerdict } from '../../../src/core/protocol/prompt.ts'
import type { contextTexts } from './texts.ts'

type Words = WordsOf<typeof contextTexts>

const withWindow = new Set(['window', 'memo', 'left_window'])

/** What a provider's cache made of a call, in a sentence; a miss names what was not as before. */
export function describeVerdict(
  { verdict, changed }: CacheVerdict,
  words: Words['verdicts'],
  starts: { before?: number; now?: number } = {},
): string {
  if (verdict !== 'miss') return words[verdict]
  const { before, now } = starts
  const isMoved = before !== undefined && now !== undefined && before !== now
  // what stands before the window changes with every cut
  if (isMoved && changed !== undefined && withWindow.has(changed)) return words.missWindowMoved(before, now)
  switch (changed) {
    case undefined:
      return words.missUnknown
    case 'model':
      return words.missModel
    case 'tools':
      return words.missTools
    case 'system':
      return words.missSystem
    case 'window':
      return words.missWindow
    case 'provider':
      return words.missProvider
    default:
      return words.missFragment(changed)
  }
}
