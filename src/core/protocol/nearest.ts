import { distance } from 'fastest-levenshtein'

/** The candidate a person probably meant, if any: a few letters away, whatever its case and dashes. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.slice(0, 64).toLowerCase().replaceAll(/[-_]/g, '')
  const [best] = candidates
    .map((candidate) => ({ candidate, steps: distance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.steps - b.steps)
  return best && best.steps <= Math.max(2, best.candidate.length * 0.3) ? best.candidate : undefined
}
