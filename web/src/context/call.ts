import type { RunRecord } from '../../../src/core/protocol/chat.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import type { Part } from '../../../src/core/protocol/message.ts'

/** One model call; without a run the one that would come next, without a step the last one of its run. */
export interface Call {
  run?: string
  step?: number
}

/** As it is in the URL: `run_….2`, or `now`. */
export const toBase = ({ run, step }: Call): string =>
  run === undefined ? 'now' : step === undefined ? run : `${run}.${step}`

export function fromBase(text: string): Call {
  if (text === 'now') return {}
  const [, run, step] = /^(.+?)(?:\.(\d+))?$/.exec(text) ?? []
  return { run, ...(step !== undefined && { step: Number(step) }) }
}

/** The call that a cache would be compared with: the step before, or the last one of the turn before. */
export function callBefore({ run, step }: Call, runs: readonly Pick<RunRecord, 'id'>[]): Call | undefined {
  if (run !== undefined && step !== undefined && step > 1) return { run, step: step - 1 }
  const index = run === undefined ? -1 : runs.findIndex(({ id }) => id === run)
  const earlier = runs[index + 1]
  return earlier && { run: earlier.id }
}

/** The turn began because tasks had reported, and not by what somebody said. */
export const isFromTasks = ({ input }: Pick<RunRecord, 'input'>): boolean =>
  (input as { message?: { metadata?: { source?: unknown } } } | undefined)?.message?.metadata?.source ===
  'tasks'

/** The first words of what a turn was asked. */
export function inputWords({ input }: Pick<RunRecord, 'input'>): string {
  const parts = (input as { message?: { parts?: Part[] } } | undefined)?.message?.parts
  const text = Array.isArray(parts) ? messageText({ parts }).replace(/\s+/g, ' ').trim() : ''
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
