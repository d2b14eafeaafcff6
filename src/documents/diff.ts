import { diffLines } from 'diff'
import type { DocumentDiff } from '../protocol/document.ts'

// beyond so many changed lines a search for the shortest diff takes too long: then the texts count as different throughout
const maxEditLength = 1_000
const maxLines = 2_000

/** Which lines were added and removed between two texts, as many of them as a reader takes. */
export function diffTexts(before: string, after: string): Omit<DocumentDiff, 'from' | 'to'> {
  const pieces = diffLines(before, after, { maxEditLength }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ]
  const lines: DocumentDiff['lines'] = []
  const count = { added: 0, removed: 0 }
  const at = { added: 1, removed: 1 }
  for (const piece of pieces) {
    const texts = linesOf(piece.value)
    if (!piece.added && !piece.removed) {
      at.added += texts.length
      at.removed += texts.length
      continue
    }
    const change = piece.added ? 'added' : 'removed'
    for (const text of texts) {
      if (lines.length < maxLines) lines.push({ change, line: at[change], text })
      at[change]++
      count[change]++
    }
  }
  return { ...count, lines, isCut: count.added + count.removed > lines.length }
}

/** A text that ends with a line break has no empty line after it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
