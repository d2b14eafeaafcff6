import { isGap, type EventFrame } from '../../../../src/client/index.ts'

/** A run of a plan that is over. */
export interface PlanEnding {
  planId: string
  kind: 'executed' | 'decomposed' | 'failed'
  /** The conversation that it comes from. */
  sessionId?: string
  summary?: string
  isProblem: boolean
  /** The same in every tab. */
  key: string
}

/** Undefined for what an answer tells of, and for what somebody stopped: whoever did that knows. */
export function planEndingOf(event: EventFrame): PlanEnding | undefined {
  if (isGap(event) || event.type !== 'plan-run-finished') return undefined
  const { runId, planId, type, status, summary } = event.data
  if (typeof planId !== 'string' || type === 'actions' || status === 'cancelled') return undefined
  const isProblem = status !== 'completed'
  return {
    planId,
    kind: isProblem ? 'failed' : type === 'decompose' ? 'decomposed' : 'executed',
    sessionId: event.sessionId,
    ...(typeof summary === 'string' && summary !== '' && { summary }),
    isProblem,
    key: `${String(runId)}:end`,
  }
}
