import type { EventFrame } from '../../../src/client/index.ts'
import { toKnown, type KnownEvent } from '../api/events.ts'

declare module '../api/events.ts' {
  interface EventData {
    'workflow-paused': WorkflowRunData & { path: string; question: string }
    'workflow-completed': WorkflowRunData
    'workflow-failed': WorkflowRunData
    'workflow-cancelled': WorkflowRunData
    notification: { title: string; body: string; level: string; runId: string }
  }
}

interface WorkflowRunData {
  runId: string
  name: string
  status: string
  error: string
  parentRunId: string
}

const endings = ['completed', 'failed', 'timeout', 'interrupted', 'cancelled'] as const
type RunEnding = (typeof endings)[number]

/** Something of a workflow run that a person wants to know. */
export interface RunHappening {
  /** `notice`: the definition wants this to be said. */
  kind: RunEnding | 'paused' | 'notice'
  /** Of a notice it may be that of the session alone. */
  runId?: string
  sessionId?: string
  /** Of the workflow; of a notice what it is called. */
  name: string
  body?: string
  isProblem: boolean
  /** The same in every tab, and another one for each question. The end of a run has one, however often it is told. */
  key: string
}

export function happeningOf(event: EventFrame): RunHappening | undefined {
  const known = toKnown(event)
  switch (known?.type) {
    case 'notification':
      return noticeOf(known)
    case 'workflow-paused': {
      const { runId, name, path = '', question } = known.data
      if (runId === undefined || name === undefined) return undefined
      return {
        kind: 'paused',
        runId,
        name,
        ...textOf(question),
        isProblem: false,
        key: `${runId}:paused:${path}`,
      }
    }
    case 'workflow-completed':
      return endingOf(known.data, 'completed')
    case 'workflow-failed':
      return endingOf(known.data, 'failed')
    case 'workflow-cancelled':
      return endingOf(known.data, 'cancelled')
    default:
      return undefined
  }
}

function endingOf(
  { runId, name, status, error, parentRunId }: Partial<WorkflowRunData>,
  usual: RunEnding,
): RunHappening | undefined {
  // whoever waits for the outer run is told of that one
  if (runId === undefined || name === undefined || parentRunId !== undefined) return undefined
  const kind = endings.find((ending) => ending === status) ?? usual
  const isProblem = kind !== 'completed' && kind !== 'cancelled'
  return { kind, runId, name, ...(isProblem && textOf(error)), isProblem, key: endKeyOf(runId) }
}

/** What a step says by its linked action, or a run as it ends because its definition wants so. */
function noticeOf({
  data,
  sessionId,
  seq,
  createdAt,
}: Extract<KnownEvent, { type: 'notification' }>): RunHappening | undefined {
  const { title, body, level, runId } = data
  if (title === undefined) return undefined
  return {
    kind: 'notice',
    ...(runId !== undefined && { runId }),
    ...(sessionId !== undefined && { sessionId }),
    name: title,
    ...textOf(body),
    isProblem: level === 'error',
    key: runId !== undefined ? endKeyOf(runId) : `notice:${createdAt}:${seq}`,
  }
}

const endKeyOf = (runId: string) => `${runId}:end`
const textOf = (text: string | undefined) => (text !== undefined && text.trim() !== '' ? { body: text } : {})
