import { expect, it } from 'vitest'
import { agentProblem, emptyRoomFields, toRoomFields, toRoomSettings } from './room-draft.ts'

const empty = emptyRoomFields('en')

it('sends what was chosen, and no limits that were not', () => {
  expect(toRoomSettings({ ...empty, agents: ['milk'] })).toEqual({ policy: 'all', language: 'en' })
  expect(
    toRoomSettings({
      ...empty,
      agents: ['milk'],
      policy: 'moderator',
      moderator: 'milk',
      hopLimit: '0',
      plays: true,
      name: ' Ada ',
    }),
  ).toEqual({
    policy: 'moderator',
    moderator: 'milk',
    language: 'en',
    hopLimit: 0,
    humans: [{ name: 'Ada', plays: true }],
  })
})

it('keeps a moderator only where one is asked for, and is there', () => {
  const fields = { ...empty, agents: ['milk'], moderator: 'coffee' }
  expect(toRoomSettings({ ...fields, policy: 'moderator' })).not.toHaveProperty('moderator')
  expect(toRoomSettings({ ...fields, moderator: 'milk' })).not.toHaveProperty('moderator')
})

it('leaves alone what the form does not show', () => {
  const before = {
    budget: { tokens: 10 },
    roleMap: { coder: 'milk' },
    humans: [{ name: 'ada', displayName: 'Ada', plays: true }, { name: 'bob' }],
  }
  const fields = toRoomFields({ agents: ['milk'], room: before })
  expect(toRoomSettings(fields, before)).toEqual({ ...before, policy: 'all', language: 'en' })
})

it('lets the server say what is wrong with a number', () => {
  expect(toRoomSettings({ ...empty, maxReplies: 'many' })).toMatchObject({ maxReplies: 'many' })
})

it('knows how many agents a mode takes', () => {
  const mode = { minAgents: 2, maxAgents: 3 }
  expect([1, 2, 3, 4].map((count) => agentProblem(mode, count))).toEqual([
    'tooFew',
    undefined,
    undefined,
    'tooMany',
  ])
})
