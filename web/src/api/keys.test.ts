import { expect, it } from 'vitest'
import type { ScopeEvent } from '../../../src/client/index.ts'
import { keys, keysTouchedBy } from './keys.ts'

const touched = (type: string, sessionId?: string) =>
  keysTouchedBy({ type, sessionId, data: {} } as ScopeEvent).map((key) => key.join('/'))

it.each([
  ['lock-changed', true],
  ['document-deleted', true],
  ['todo-changed', true],
  ['session-deleted', true],
  ['session-updated', false],
  ['run-finished', false],
])('%s asks again for locks: %s', (type, isAsked) => {
  expect(touched(type).includes('locks')).toBe(isAsked)
})

it.each([
  ['workflow-saved', 'workflows'],
  ['workflow-deleted', 'workflows'],
  ['workflow-step', 'workflow-runs'],
  ['workflow-paused', 'workflow-runs'],
  ['workflow-completed', 'workflow-runs'],
])('%s asks again for %s alone', (type, kind) => {
  expect(touched(type).filter((key) => key.startsWith('workflow'))).toEqual([kind])
})

it('asks again for a plan that was changed, and for one node of it when that goes on', () => {
  const planKeys = (type: string, data: object) =>
    keysTouchedBy({ type, data } as ScopeEvent)
      .map((key) => key.join('/'))
      .filter((key) => key.startsWith('plan'))
  expect(planKeys('plan-changed', { planId: 'p' })).toEqual(['plans', 'plan-runs', 'plan/p'])
  expect(planKeys('plan-node', { planId: 'p', nodeId: 3 })).toEqual(['plans', 'plan-runs', 'plan/p/node/3'])
  expect(keys.planTree('p').join('/')).toBe('plan/p/tree')
})

it.each([
  ['agent-saved', ['agents']],
  ['agent-deleted', ['agents']],
  ['thread-updated', ['threads']],
  ['session-updated', ['threads']],
  ['run-finished', []],
])('%s asks again for %j of rooms', (type, kinds) => {
  expect(touched(type).filter((key) => key === 'agents' || key === 'threads')).toEqual(kinds)
})

it('asks again for a room when something happens in it', () => {
  const [kind, id] = keys.room('ses_1', 'ada')
  expect(touched('session-updated', 'ses_1')).toContain(`${kind}/${id}`)
  expect(keys.rounds('ses_1').slice(0, 2)).toEqual([kind, id])
})

it('asks again for all of a session when something happens in it, its checkpoints among it', () => {
  const [kind, id] = keys.checkpoints('ses_1')
  expect(touched('run-finished', 'ses_1')).toContain(`${kind}/${id}`)
  expect(touched('run-finished', 'ses_2')).not.toContain(`${kind}/${id}`)
})
