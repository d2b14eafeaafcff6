import type { Lease } from '../../core/store/queries/claims.ts'
import type { PlanRunRecord } from './store/plan-runs.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

/** A run in the hands of this process. */
export interface Going<Type extends PlanRunInput['type'] = PlanRunInput['type']> {
  run: Run
  lease: Lease
  record: PlanRunRecord
  input: Extract<PlanRunInput, { type: Type }>
  signal: AbortSignal
}

/** What one look came to: the end, a wait, or that there is more to do at once. */
export type Look = { end: PlanRunEnd } | { wakeAt?: number } | 'more'
