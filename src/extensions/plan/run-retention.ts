import type { Retention } from '../../core/store/housekeeping.ts'
import { defaultPlanLimits } from './plan-service.ts'

export const planRunRetention = (keptDays = defaultPlanLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldPlanRuns(before, limit),
})
