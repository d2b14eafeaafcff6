import type { Retention } from '../../core/store/housekeeping.ts'
import { defaultWorkflowLimits } from './workflow-service.ts'

export const workflowRunRetention = (keptDays = defaultWorkflowLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldWorkflowRuns(before, limit),
})
