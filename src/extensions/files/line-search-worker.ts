import { parentPort, workerData } from 'node:worker_threads'
import type { LinePattern, ShownLine } from './line-search.ts'

// of a line that is longer, a stretch around the match is shown
const maxShownLength = 500
const leadIn = 100

const { source, flags, context } = workerData as LinePattern
const expression = new RegExp(source, flags)

parentPort!.on('message', ({ text, maxMatches }: { text: string; maxMatches: number }) =>
  parentPort!.postMessage(search(text, maxMatches), []),
)

function search(text: string, maxMatches: number): { lines: ShownLine[]; matches: number } {
  const all = text.split('\n')
  const shown = new Map<number, ShownLine>()
  let matches = 0
  for (const [index, line] of all.entries()) {
    const found = expression.exec(line)
    if (!found) continue
    for (let near = Math.max(0, index - context); near <= Math.min(all.length - 1, index + context); near++)
      if (near !== index && !shown.has(near)) shown.set(near, toShown(near, all[near]!, 0, false))
    shown.set(index, toShown(index, line, found.index, true))
    if (++matches === maxMatches) break
  }
  return { lines: [...shown.values()].sort((one, two) => one.number - two.number), matches }
}

function toShown(index: number, line: string, place: number, isMatch: boolean): ShownLine {
  const from = line.length > maxShownLength ? Math.max(0, place - leadIn) : 0
  const piece = line.slice(from, from + maxShownLength).toWellFormed()
  const end = from + piece.length < line.length ? '…' : ''
  return { number: index + 1, text: `${from > 0 ? '…' : ''}${piece}${end}`, isMatch }
}
