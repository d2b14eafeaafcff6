import type { Retention } from '../../core/store/housekeeping.ts'
import { defaultPlanLimits } from './deps.ts'

export const planRunRetention = (keptDays = defaultPlanLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldPlanRuns(before, limit),
})
