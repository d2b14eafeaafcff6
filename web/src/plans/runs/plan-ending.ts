import type { EventFrame } from '../../../../src/client/index.ts'
import { toKnown } from '../../api/events.ts'

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
  const known = toKnown(event)
  if (known?.type !== 'plan-run-finished') return undefined
  const { runId, planId, type, status, summary } = known.data
  if (planId === undefined || type === 'actions' || status === 'cancelled') return undefined
  const isProblem = status !== 'completed'
  return {
    planId,
    kind: isProblem ? 'failed' : type === 'decompose' ? 'decomposed' : 'executed',
    sessionId: known.sessionId,
    ...(summary && { summary }),
    isProblem,
    key: `${String(runId)}:end`,
  }
}
