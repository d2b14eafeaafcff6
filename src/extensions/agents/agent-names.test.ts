import { describe, expect, it } from 'vitest'
import type { Agent } from './protocol/agent.ts'
import { findClash, keepFreeWords } from './agent-names.ts'

describe('words that agents are called by', () => {
  it('belong to names first, then to whoever comes first', () => {
    const { agents, taken } = keepFreeWords([
      { name: 'one', nicknames: ['TWO', 'x'], aliases: ['y'], displayName: 'Three' },
      { name: 'two', nicknames: ['Y', 'Ｘ', 'z'] },
      { name: 'three', aliases: ['x', 'z', 'w'], displayName: 'O n e' },
    ])
    expect(agents).toEqual([
      { name: 'one', nicknames: ['x'], aliases: ['y'] },
      { name: 'two', nicknames: ['z'] },
      { name: 'three', aliases: ['w'] },
    ])
    expect(taken.map(({ agent, word, by }) => `${agent.name} ${word} ${by?.name}`)).toEqual([
      'one TWO two',
      'one Three three',
      'two Y one',
      'two Ｘ one',
      'three x one',
      'three z two',
      'three One one',
    ])
  })

  it('are the same when a mention of one would be one of the other', () => {
    const { taken } = keepFreeWords([{ name: 'straße' }, { name: 'x', nicknames: ['STRASSE'] }])
    expect(taken).toMatchObject([{ word: 'STRASSE', by: { name: 'straße' } }])
  })

  it('may be said twice of the same agent', () => {
    const agent = { name: 'mira', displayName: 'Mira', nicknames: ['MIRA', 'm', 'm'], aliases: ['m'] }
    expect(keepFreeWords([agent])).toEqual({
      agents: [{ name: 'mira', displayName: 'Mira', nicknames: ['m'], aliases: [] }],
      taken: [],
    })
  })

  it('keep a display name that nobody can type, and show no two agents as one', () => {
    const [a, b, c] = [
      { name: 'a', displayName: '!!' },
      { name: 'b', displayName: '!!' },
      { name: 'c', displayName: 'Dr. A' },
    ]
    expect(keepFreeWords([a, c])).toEqual({ agents: [a, c], taken: [] })
    expect(keepFreeWords([a, b])).toEqual({
      agents: [a, { name: 'b' }],
      taken: [{ agent: b, word: '!!', by: a }],
    })
    const like = { name: 'd', displayName: 'D\u200br. А' }
    expect(keepFreeWords([c, like]).agents).toEqual([c, { name: 'd' }])
  })

  it.each([
    'operator',
    'Operator',
    'ＯＰＥＲＡＴＯＲ',
    'o p e r a t o r',
    'oper\u200bator',
    'оperаtor',
    'Room',
    'ALL',
    'Every one',
    '大家',
  ])('are never %j, which means somebody in every room', (word) => {
    const agent = { name: 'milk', displayName: word, nicknames: [word, 'm'], aliases: [word] }
    expect(keepFreeWords([agent]).agents).toEqual([{ name: 'milk', nicknames: ['m'], aliases: [] }])
    expect(keepFreeWords([{ name: word }])).toEqual({ agents: [], taken: [{ agent: { name: word }, word }] })
    expect(findClash({ name: 'milk', displayName: word }, [])).toMatchObject({ word: expect.any(String) })
  })

  it('clash whichever of the two has it as its name', () => {
    const others: Agent[] = [
      { name: 'pip', nicknames: ['皮皮'], source: 'shipped' },
      { name: 'x', aliases: ['皮皮'], source: 'stored' },
    ]
    expect(findClash({ name: 'new', nicknames: ['Pip'] }, others)).toEqual({ word: 'Pip', other: others[0] })
    expect(findClash({ name: '皮皮' }, others)).toEqual({ word: '皮皮', other: others[0] })
    expect(findClash({ name: 'new', displayName: 'P i P' }, others)).toEqual({
      word: 'PiP',
      other: others[0],
    })
    expect(findClash({ name: 'new', nicknames: ['fine'] }, others)).toBeUndefined()
  })
})
