import { cutBack, sizeOf, type Sized } from './cut-window.ts'
import type { WindowHandlers } from './window-handlers.ts'
import { defaultPolicy } from './resize-policy.ts'
import { asksSomebody, isOverLimit, type Reading } from './read-window.ts'

/** The window as the next turn will see it before its input: a cut that would come first, and asks nobody, is made here too. */
export function foresee(reading: Reading, handlers: WindowHandlers, inputs: readonly Sized[]): Reading {
  const { state, effective, messages, turns, turnsSinceResize } = reading
  const sized = [...reading.sized, ...inputs]
  const judged = { size: sizeOf(sized), doneTurns: turns, turnsSinceResize }
  const isStopped = state.stopped !== undefined
  if (messages.length === 0 || (!isStopped && asksSomebody(effective, handlers))) return reading
  const isDue = isStopped ? isOverLimit({ ...reading, ...judged }) : defaultPolicy(judged, effective)
  if (!isDue) return reading
  const start = cutBack(sized, effective)
  const kept = reading.sized.slice(start)
  return { ...reading, messages: messages.slice(start), sized: kept, size: sizeOf(kept) }
}
