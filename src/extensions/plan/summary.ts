import { cut } from '../../core/shared/text.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import { oneLine } from './outline.ts'
import type { Step } from './plan-step.ts'

const marks: Record<Step['status'], string> = {
  pending: '⏳',
  running: '⏳',
  paused: '⏳',
  completed: '✅',
  partial: '⚠️',
  refused: '⚠️',
  failed: '⚠️',
  skipped: '⚠️',
  cancelled: '⚠️',
}
const maxMessage = 160
const maxResult = 8_000

/** One line for each action; with what came of them, for the model. */
export function summarise(steps: readonly Step[], { withResults = false } = {}): string {
  return steps
    .map((step) => {
      const { number, status, message, error, details } = step
      const { kind, name } = details.action ?? { kind: step.type, name: details.title }
      const words = cut(oneLine(error ?? message ?? status), maxMessage)
      const line = `${marks[status]} Step ${number}: ${kind}/${name} - ${words}`
      return withResults && step.result !== undefined
        ? `${line}\n${reportOf(step.result) ?? cut(toText(step.result), maxResult)}`
        : line
    })
    .join('\n')
}

/** Of an execution; it has a budget of its own and is shown whole. */
export const reportOf = (result: unknown): string | undefined =>
  isObject(result) && typeof result.report === 'string' ? result.report : undefined

export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)
