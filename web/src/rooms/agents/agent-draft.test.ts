import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../../src/client/index.ts'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import { issueTexts as en } from '../../api/en.ts'
import { toAgentDraft, toAgentErrors, toCreateAgent, toUpdateAgent } from './agent-draft.ts'

const milk: Agent = {
  name: 'milk',
  source: 'stored',
  displayName: 'Milk',
  nicknames: ['牛奶', 'latte'],
  color: '#112233',
  tools: ['read_file'],
  limits: { maxSteps: 3, timeoutMs: 90_000 },
}

describe('an agent in a form', () => {
  it('is sent as it was when nothing is changed', () => {
    const { source: _, ...given } = milk
    expect(toCreateAgent(toAgentDraft(milk), undefined)).toEqual({ scope: undefined, ...given })
  })

  it('reads names with any comma, and with an @ before them', () => {
    const draft = { ...toAgentDraft(), name: ' milk ', nicknames: '@牛奶，latte、 mocha' }
    expect(toCreateAgent(draft, 'team')).toEqual({
      scope: 'team',
      name: 'milk',
      nicknames: ['牛奶', 'latte', 'mocha'],
    })
  })

  it('tells no tools from all tools', () => {
    expect(toCreateAgent({ ...toAgentDraft(), tools: 'none' }, undefined)).toHaveProperty('tools', [])
    expect(toCreateAgent({ ...toAgentDraft(), tools: 'all' }, undefined)).not.toHaveProperty('tools')
  })

  it('takes away what was emptied', () => {
    const draft = {
      ...toAgentDraft(milk),
      displayName: ' ',
      maxSteps: '',
      timeoutSeconds: '',
      tools: 'all' as const,
    }
    expect(toUpdateAgent(draft, milk, undefined)).toEqual({
      scope: undefined,
      nicknames: ['牛奶', 'latte'],
      color: '#112233',
      displayName: null,
      tools: null,
      limits: null,
    })
  })

  it('lets the server say what is wrong with a number', () => {
    expect(toCreateAgent({ ...toAgentDraft(), maxSteps: 'x' }, undefined)).toHaveProperty(
      'limits.maxSteps',
      'x',
    )
  })
})

describe('what was refused', () => {
  const taken = (word: string) =>
    new ParleyError('conflict', `"milk" goes by "${word}" already.`, { details: { word, agent: 'milk' } })

  it.each([
    ['牛奶', 'nicknames'],
    ['LATTE', 'aliases'],
    ['coffee', 'name'],
    ['kafi', 'displayName'],
  ])('is shown at the field that holds %s', (word, field) => {
    const draft = {
      ...toAgentDraft(),
      name: 'coffee',
      displayName: 'Kafi',
      nicknames: '牛奶, x',
      aliases: 'latte',
    }
    expect(Object.keys(toAgentErrors(taken(word), draft, en))).toEqual([field])
  })

  it('is shown at the name when there is one of that name, and at a field that the server names', () => {
    const there = new ParleyError('conflict', 'There is one.', { details: { name: 'milk' } })
    expect(toAgentErrors(there, toAgentDraft(milk), en)).toEqual({ name: 'There is one.' })
    const params = { origin: 'number', minimum: 1, inclusive: true }
    const invalid = new ParleyError('invalid_request', 'English.', {
      details: { issues: [{ path: ['limits', 'maxSteps'], code: 'too_small', params }] },
    })
    expect(toAgentErrors(invalid, toAgentDraft(milk), en)).toEqual({
      limits: 'maxSteps: Must be at least 1.',
    })
  })
})
