import { describe, expect, it } from 'vitest'
import type { RoomFacts } from '../mode.ts'
import { assignRoles, requireRoleMap } from './roles.ts'

const toRoom = (names: string[], roleMap: Record<string, string>): RoomFacts => ({
  agents: names.map((name) => ({ name, source: 'stored' })),
  humans: [{ name: 'operator' }],
  settings: { policy: 'all', hopLimit: 3, coolDown: 1, maxReplies: 50, language: 'en', roleMap },
})

describe('a room', () => {
  it.each([
    [['a', 'b', 'c', 'd'], {}, 'a b c'],
    [['tester', 'x', 'Coder'], {}, 'Coder x tester'],
    [['a', 'b'], {}, 'a b b'],
    [['a'], {}, 'a a a'],
    [['a', 'b', 'c'], { coder: 'c' }, 'c a b'],
    [['a', 'b', 'c'], { tester: 'A' }, 'b c a'],
    [['a', 'b'], { reviewer: 'a', tester: 'b' }, 'b a b'],
    [['coder', 'reviewer'], { coder: 'reviewer' }, 'reviewer coder coder'],
    [['a', 'b', 'c'], { coder: 'a', reviewer: 'gone' }, 'a b c'],
    [['a', 'b'], { coder: 'a', reviewer: 'a' }, 'a b b'],
  ])('of %j with the role map %o has the roles %s', (names, roleMap, expected) => {
    const roles = assignRoles(toRoom(names, roleMap as Record<string, string>))!
    expect([roles.coder, roles.reviewer, roles.tester].join(' ')).toBe(expected)
  })

  it('refuses a role map that cannot be followed', () => {
    expect(() => requireRoleMap(toRoom(['a', 'b'], { tester: 'c' }))).toThrow(/tester is "c".*a, b/)
    expect(() => requireRoleMap(toRoom(['a', 'b'], { coder: 'a', reviewer: 'A' }))).toThrow(/both/)
  })
})
