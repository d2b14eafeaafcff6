import type { TurnInput } from '../chat/turn-input.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import { lastWords } from '../protocol/last-words.ts'
import type { Run } from '../store/queries/run-row.ts'

export const setResultName = 'set_result'
// the first try and two repairs
const maxTries = 3

type Graded = Pick<TaskResult, 'status' | 'output' | 'structuredData' | 'artifacts' | 'source' | 'degraded'>

/** What a call of set_result came to; `output` of the call is this, as JSON. */
export interface Submitted {
  status: 'success' | 'partial' | 'failed' | 'refused'
  output: string
  structuredData?: unknown
  artifacts?: string[]
}

const isTask = (run: Run) => run.kind === 'background' && (run.input as TurnInput).task !== undefined
const isReminder = ({ type, id }: Part) => type === 'data-steer' && String(id).startsWith('nudge-')
const submissions = (parts: readonly Part[]) => parts.filter(({ toolName }) => toolName === setResultName)

/** Whether a task stopped without a result and was not reminded of it yet. */
export const needsReminder = (run: Run, parts: readonly Part[]): boolean =>
  isTask(run) && !parts.some(isReminder)

/** A task that stops without a result is reminded of it, once. */
export const remind = (run: Run, parts: readonly Part[]): string | undefined =>
  needsReminder(run, parts) ? `${unsubmitted} your result.` : undefined

export const unsubmitted =
  'You have not called set_result. What you said so far reaches nobody. Call set_result now with'

/** A result that does not fit its schema is repaired so often and no more. */
export function judgeTries(run: Run, parts: readonly Part[]): { code: string; message: string } | undefined {
  if (!isTask(run)) return undefined
  const failed = submissions(parts).filter(({ state }) => state === 'output-error')
  return failed.length < maxTries
    ? undefined
    : {
        code: 'result_invalid',
        message: `The result did not keep to its schema ${failed.length} times. ${String(failed.at(-1)!.errorText)}`,
      }
}

/** The result of a run that ended by itself, with how sure one can be of it. */
export function gradeResult(parts: readonly Part[]): Graded {
  const submitted = submissions(parts).findLast(({ state }) => state === 'output-available')
  if (submitted) {
    const { status, output, structuredData, artifacts } = submitted.output as Submitted
    const wasReminded = parts.findIndex(isReminder) !== -1
    return {
      status,
      output,
      ...(structuredData !== undefined && { structuredData }),
      ...(artifacts && { artifacts }),
      source: wasReminded ? 'reminded' : 'tool',
      degraded: false,
    }
  }
  const words = lastWords(parts)
  return words === ''
    ? { status: 'failed', output: '', source: 'none', degraded: true }
    : { status: 'partial', output: words, source: 'extracted', degraded: true }
}
