import type { OfType } from './named-steps.ts'
import type { StepState } from './step-state.ts'

/** An approve step with its answer; one that came too late counts as a rejection. */
export function answered(
  step: OfType<'approve'>,
  state: StepState,
  { approved, comment, now, isLate }: { approved: boolean; comment?: string; now: number; isLate?: boolean },
): StepState {
  const goesOn = approved || step.onReject === 'continue'
  const why = isLate
    ? 'Nobody answered in time.'
    : comment
      ? `It was rejected: ${comment}`
      : 'It was rejected.'
  return {
    ...state,
    status: goesOn ? 'completed' : isLate ? 'timeout' : 'failed',
    approved,
    data: mergeComment(state.data, comment),
    details: { ...state.details, ...(comment !== undefined && { comment }) },
    ...(!approved && { error: why }),
    wakeAt: undefined,
    finishedAt: now,
  }
}

const mergeComment = (data: unknown, comment: string | undefined) =>
  comment === undefined
    ? data
    : { ...(typeof data === 'object' && !Array.isArray(data) ? data : undefined), comment }
