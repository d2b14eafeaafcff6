import { isGap, type EventFrame } from '../../../src/client/index.ts'

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
  if (isGap(event)) return undefined
  if (event.type === 'notification') return noticeOf(event)
  const [, type] = /^workflow-(paused|completed|failed|cancelled)$/.exec(event.type) ?? []
  const { runId, name, path = '', status, error, question, parentRunId } = event.data
  if (type === undefined || typeof runId !== 'string' || typeof name !== 'string') return undefined
  if (type === 'paused')
    return {
      kind: type,
      runId,
      name,
      ...textOf(question),
      isProblem: false,
      key: `${runId}:paused:${String(path)}`,
    }
  // whoever waits for the outer run is told of that one
  if (typeof parentRunId === 'string') return undefined
  const kind = endings.find((ending) => ending === status) ?? (type as RunEnding)
  const isProblem = kind !== 'completed' && kind !== 'cancelled'
  return { kind, runId, name, ...(isProblem && textOf(error)), isProblem, key: endKeyOf(runId) }
}

/** What a step says by its linked action, or a run as it ends because its definition wants so. */
function noticeOf({ data, sessionId, seq, createdAt }: Exclude<EventFrame, { type: 'gap' }>) {
  const { title, body, level, runId } = data
  if (typeof title !== 'string') return undefined
  const isOfRun = typeof runId === 'string'
  return {
    kind: 'notice' as const,
    ...(isOfRun && { runId }),
    ...(sessionId !== undefined && { sessionId }),
    name: title,
    ...textOf(body),
    isProblem: level === 'error',
    key: isOfRun ? endKeyOf(runId) : `notice:${createdAt}:${seq}`,
  }
}

const endKeyOf = (runId: string) => `${runId}:end`
const textOf = (text: unknown) => (typeof text === 'string' && text.trim() !== '' ? { body: text } : {})
