import { diffArrays, diffLines } from 'diff'

export type ChangeKind = 'same' | 'added' | 'removed'

export interface DiffLine {
  kind: ChangeKind | 'gap'
  text: string
  /** Of a gap: how many lines are left out. */
  count?: number
}

export interface DiffSpan {
  kind: ChangeKind
  text: string
}

// two long texts that have nothing in common take for ever to compare, and the result says nothing
const timeout = 400
const contextLines = 3

/** Line by line; lines far from any change are left out. */
export function diffByLines(before: string, after: string): DiffLine[] {
  const changes = diffLines(before, after, { timeout })
  const lines = changes
    ? changes.flatMap((change) => toLines(change.value, kindOf(change)))
    : [...toLines(before, 'removed'), ...toLines(after, 'added')]
  return leaveOut(lines)
}

/** Word by word, also where words have no spaces between them; nothing is left out, so for short texts. */
export function diffByWords(before: string, after: string): DiffSpan[] {
  const changes = diffArrays(toWords(before), toWords(after), { timeout })
  if (!changes)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]
  return changes.map((change) => ({ kind: kindOf(change), text: change.value.join('') }))
}

const toWords = (text: string) =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text), ({ segment }) => segment)

const kindOf = ({ added, removed }: { added: boolean; removed: boolean }): ChangeKind =>
  added ? 'added' : removed ? 'removed' : 'same'

const toLines = (text: string, kind: ChangeKind): DiffLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ kind, text: line }))

function leaveOut(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>()
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return
    for (let other = index - contextLines; other <= index + contextLines; other++) near.add(other)
  })
  const shown: DiffLine[] = []
  lines.forEach((line, index) => {
    const last = shown.at(-1)
    if (near.has(index)) shown.push(line)
    else if (last?.kind === 'gap') last.count!++
    else shown.push({ kind: 'gap', text: '', count: 1 })
  })
  return shown
}
