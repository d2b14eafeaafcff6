import type { ActiveRun, Advanced as AnyAdvanced } from '../../core/orchestrator/orchestrate.ts'
import type { PlanRunRecord } from './store/plan-runs.ts'
import type { PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

/** A run that this process is executing. */
export interface ActivePlanRun<Type extends PlanRunInput['type'] = PlanRunInput['type']> extends ActiveRun {
  record: PlanRunRecord
  input: Extract<PlanRunInput, { type: Type }>
}

export type Advanced = AnyAdvanced<PlanRunEnd>
