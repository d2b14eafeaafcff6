import type { CacheVerdict } from '../protocol/prompt.ts'
import type { DescribedStep } from './describe-steps.ts'

/** Whether the provider found in its cache what the call before had left there, and if not, what had changed. */
export function judgeCache(step: DescribedStep, before: DescribedStep | undefined): CacheVerdict {
  if (!before) return { verdict: 'first' }
  const read = step.usage.cacheReadTokens
  if (read === undefined) return { verdict: 'unknown' }
  if (read > 0) return { verdict: 'hit' }
  return { verdict: 'miss', changed: firstChange(step, before) }
}

function firstChange(step: DescribedStep, before: DescribedStep): string {
  if (step.model !== before.model) return 'model'
  if (step.toolsHash !== before.toolsHash) return 'tools'
  const fragments = step.fragments.filter(({ placement }) => placement !== 'dynamic')
  const earlier = new Map(before.fragments.map(({ name, hash }) => [name, hash]))
  const changed = fragments.find(({ name, hash }) => earlier.get(name) !== hash)
  if (changed) return changed.name
  if (step.systemHash !== before.systemHash) return 'system'
  if (step.epoch !== before.epoch || step.messages < before.messages) return 'window'
  // everything we sent was unchanged: the provider evicted it, or the prompt is too short to be kept
  return 'provider'
}
