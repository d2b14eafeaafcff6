import { isSpace, lineEnd, type TextRange } from './text-range.ts'

/** Back-ticks in a row. */
export interface Ticks extends TextRange {
  paragraph: number
  /** Which of them closes what these open: the next that are as many. */
  close?: number
}

const tick = 0x60

export function findTicks(text: string): Ticks[] {
  const runs: Ticks[] = []
  if (!text.includes('`')) return runs
  let paragraph = 0
  let isBlank = false // nothing but spaces since the line began
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === lineEnd) {
      if (isBlank) paragraph++
      isBlank = true
    } else if (!isSpace(unit)) isBlank = false
    if (unit !== tick) continue
    const start = at
    while (text.charCodeAt(at + 1) === tick) at++
    runs.push({ start, end: at + 1, paragraph })
  }
  return withCloses(runs)
}

/** Looked up from the end, so that no run is looked at twice. */
function withCloses(runs: Ticks[]): Ticks[] {
  const nextOfLength = new Map<number, number>()
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index]!
    const close = nextOfLength.get(run.end - run.start)
    if (close !== undefined) run.close = close
    nextOfLength.set(run.end - run.start, index)
  }
  return runs
}
