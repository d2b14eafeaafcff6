import { expect, it } from 'vitest'
import { judgeCache } from './cache-verdict.ts'
import type { DescribedStep } from './describe-steps.ts'

const fragment = (name: string, hash: string, placement: 'static' | 'dynamic' = 'static') => ({
  name,
  hash,
  placement,
  tokens: 1,
})
const step = (more: Partial<DescribedStep> = {}): DescribedStep => ({
  model: 'openai/x',
  scenario: 'interactive',
  epoch: 1,
  fragments: [fragment('identity', 'a'), fragment('rules', 'b'), fragment('active_locks', 'c', 'dynamic')],
  systemHash: 's',
  toolsHash: 't',
  tools: [],
  listedTools: [],
  messages: 5,
  usage: { cacheReadTokens: 0 },
  finishReason: 'stop',
  ...more,
})

it.each([
  ['first', step(), undefined, { verdict: 'first' }],
  ['a hit', step({ usage: { cacheReadTokens: 900 } }), step(), { verdict: 'hit' }],
  ['unknown where the provider does not say', step({ usage: {} }), step(), { verdict: 'unknown' }],
  ['a miss by the model', step({ model: 'openai/y' }), step(), { verdict: 'miss', changed: 'model' }],
  ['a miss by the tools', step({ toolsHash: 'u' }), step(), { verdict: 'miss', changed: 'tools' }],
  [
    'a miss by the first fragment that changed',
    step({
      fragments: [fragment('identity', 'a'), fragment('rules', 'x'), fragment('skills', 'y')],
      systemHash: 'z',
    }),
    step(),
    { verdict: 'miss', changed: 'rules' },
  ],
  ['a miss by the window', step({ messages: 3 }), step(), { verdict: 'miss', changed: 'window' }],
  [
    'a miss by the provider, when all was as before',
    step({ messages: 7 }),
    step(),
    { verdict: 'miss', changed: 'provider' },
  ],
])('the cache is judged as %s', (_name, now, before, verdict) => {
  expect(judgeCache(now, before)).toEqual(verdict)
})
