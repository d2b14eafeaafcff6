import { count, optionGroup, positiveCount } from '../protocol/options.ts'
import type { ChatLimits } from './turn-limits.ts'

export const chatLimitOptions = optionGroup<ChatLimits>({
  leaseMs: positiveCount,
  maxClaims: positiveCount,
  maxTakenUp: count,
  maxSteps: positiveCount,
  maxSameCalls: positiveCount,
  maxAttempts: positiveCount,
  maxRetryWaitMs: count,
  modelIdleMs: positiveCount,
  tokenBudget: count,
  maxInputCharacters: positiveCount,
  maxToolOutput: count,
  maxScopeContext: count,
})
