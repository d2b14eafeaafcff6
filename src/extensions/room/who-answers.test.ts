import { describe, expect, it } from 'vitest'
import { roomPolicies } from './protocol/room.ts'
import { selectTargets, type TargetFacts } from './who-answers.ts'

const agents = [{ name: 'milk', displayName: '牛奶' }, { name: 'coffee' }, { name: 'billy' }]
const select = (facts: Partial<TargetFacts>) =>
  selectTargets({ agents, mentions: [], policy: 'all', ...facts })

describe('who answers', () => {
  it.each(roomPolicies)('is who was mentioned, whatever the policy: %s', (policy) => {
    const { targets, routing } = select({ policy, mentions: ['coffee', 'milk', 'gone'] })
    expect(targets).toEqual(['coffee', 'milk'])
    expect(routing).toEqual({
      reason: 'mention',
      text: 'Mentioned: coffee, 牛奶.',
      mentions: ['coffee', 'milk'],
    })
  })

  it.each(roomPolicies)('is no agent when a person is mentioned, whatever the policy: %s', (policy) => {
    const people = [{ name: 'ada', displayName: 'Ada L' }]
    const { targets, routing, next } = select({ policy, people, next: 1 })
    expect([targets, next]).toEqual([[], 1])
    expect(routing).toEqual({ reason: 'nobody', text: 'Said to Ada L: agents are not asked.', mentions: [] })
    expect(select({ policy, people, mentions: ['milk'] }).targets).toEqual(['milk'])
  })

  it('is everybody when nobody is mentioned', () => {
    const { targets, routing } = select({})
    expect(targets).toEqual(['milk', 'coffee', 'billy'])
    expect(routing).toEqual({
      reason: 'policy',
      policy: 'all',
      text: 'Nobody is mentioned, so all answer.',
      mentions: [],
    })
  })

  it('is who leads, by default the first', () => {
    expect(select({ policy: 'moderator' }).targets).toEqual(['milk'])
    expect(select({ policy: 'moderator', moderator: 'billy' }).targets).toEqual(['billy'])
    const gone = select({ policy: 'moderator', moderator: 'gone' })
    expect(gone.targets).toEqual([])
    expect(gone.routing).toMatchObject({ reason: 'nobody', text: expect.stringContaining('gone') })
  })

  it('goes round, and a mention does not take a turn', () => {
    const heard: string[] = []
    let next = 0
    for (const mentions of [[], [], ['billy'], [], []]) {
      const chosen = select({ policy: 'round-robin', mentions, next })
      heard.push(...chosen.targets)
      next = chosen.next
    }
    expect(heard).toEqual(['milk', 'coffee', 'billy', 'billy', 'milk'])
  })

  it('is nobody in a silent room, and in one without agents', () => {
    expect(select({ policy: 'silent' })).toMatchObject({
      targets: [],
      routing: { reason: 'nobody', policy: 'silent' },
    })
    for (const policy of roomPolicies)
      expect(select({ policy, agents: [] })).toMatchObject({ targets: [], routing: { reason: 'nobody' } })
  })
})

describe('in a workflow', () => {
  const roleMap = { coder: 'milk', reviewer: 'coffee' }

  it('is who does the node', () => {
    expect(select({ roleMap, currentNode: 'reviewer' })).toMatchObject({
      targets: ['coffee'],
      routing: { reason: 'mode', phase: 'reviewer', text: 'coffee does the node reviewer.' },
    })
  })

  it('is who was mentioned all the same', () => {
    expect(select({ roleMap, currentNode: 'reviewer', mentions: ['billy'] }).targets).toEqual(['billy'])
  })

  it.each(['tester', 'constructor'])(
    'is nobody where the node %s is given to no one, and not the first',
    (node) => {
      expect(select({ roleMap, currentNode: node })).toMatchObject({
        targets: [],
        routing: { reason: 'nobody', text: expect.stringContaining(node) },
      })
      expect(select({ roleMap: { tester: 'gone' }, currentNode: 'tester' }).targets).toEqual([])
    },
  )
})

it('says why in the language of the room', () => {
  const { routing } = select({ language: 'zh', mentions: ['milk', 'coffee'] })
  expect(routing.text).toBe('被提到的是：牛奶、coffee。')
  for (const policy of roomPolicies)
    expect(select({ language: 'zh', policy }).routing.text).toMatch(/^没有提到谁/)
})
