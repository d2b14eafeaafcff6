import type { Retention } from '../../core/store/housekeeping.ts'
import { defaultWorkflowLimits } from './deps.ts'

export const workflowRunRetention = (keptDays = defaultWorkflowLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldWorkflowRuns(before, limit),
})
