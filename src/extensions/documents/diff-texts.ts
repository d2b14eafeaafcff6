import { diffLines } from 'diff'
import type { DocumentDiff } from './protocol/document.ts'

// beyond so many changed lines, or lines between the first and the last change, a search for the shortest diff takes too
// long: then all in between counts as different
const maxEditLength = 500
const maxSearchedLength = 200_000
const maxSearchedLines = 10_000
const maxLines = 2_000

/** Which lines were added and removed between two texts, as many of them as a reader takes. */
export function diffTexts(before: string, after: string): Omit<DocumentDiff, 'from' | 'to'> {
  const { start, end } = commonEnds(before, after)
  const [old, fresh] = [before, after].map((text) => text.slice(start, text.length - end)) as [string, string]
  const pieces = [
    { removed: false, added: false, value: before.slice(0, start) },
    ...(search(old, fresh) ?? [
      { removed: true, added: false, value: old },
      { removed: false, added: true, value: fresh },
    ]),
  ]
  const lines: DocumentDiff['lines'] = []
  const count = { added: 0, removed: 0 }
  const at = { added: 1, removed: 1 }
  for (const { value, added: isAdded, removed: isRemoved } of pieces) {
    const height = countLines(value)
    if (!isAdded && !isRemoved) {
      at.added += height
      at.removed += height
      continue
    }
    const change = isAdded ? 'added' : 'removed'
    const shown = firstLines(value, maxLines - lines.length)
    lines.push(...shown.map((text, index) => ({ change, line: at[change] + index, text }) as const))
    at[change] += height
    count[change] += height
  }
  return { ...count, lines, isCut: count.added + count.removed > lines.length }
}

function search(before: string, after: string) {
  const isLong = before.length + after.length > maxSearchedLength
  if (isLong || countLines(before) + countLines(after) > maxSearchedLines) return undefined
  return diffLines(before, after, { maxEditLength })
}

/** How many characters two texts have in common at their beginnings and at their ends, in whole lines. */
function commonEnds(before: string, after: string): { start: number; end: number } {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  if (start === before.length && start === after.length) return { start, end: 0 }
  start = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1
  let end = 0
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++
  // the line that the change ends in belongs to it
  const lineEnd = before.indexOf('\n', before.length - end)
  return { start, end: lineEnd === -1 ? 0 : before.length - lineEnd - 1 }
}

/** A text that ends with a line break has no empty line after it. */
function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

function firstLines(text: string, most: number): string[] {
  const lines: string[] = []
  for (let at = 0; at < text.length && lines.length < most;) {
    const end = text.indexOf('\n', at)
    lines.push(text.slice(at, end === -1 ? undefined : end))
    at = end === -1 ? text.length : end + 1
  }
  return lines
}
