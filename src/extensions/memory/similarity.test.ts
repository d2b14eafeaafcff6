import { describe, expect, it } from 'vitest'
import { hashText, recallsSame, isSameStatement } from './similarity.ts'
import { fuse } from './search-memories.ts'

describe('two texts', () => {
  it.each([
    ['User likes tea', 'The user likes TEA!', true, true],
    ['User lives in Paris', 'User lives in Rome', false, false],
    ['User likes tea', 'User does not like tea', false, false],
    ['Lives in Paris', 'Lives in Paris, France', false, true],
    ['用户喜欢喝绿茶', '用户喜欢喝绿茶。', true, true],
    ['用户喜欢喝绿茶', '预算是五千元', false, false],
    ['the', 'the', true, true],
    ['🍵', '🍺', false, false],
  ])('%j and %j say the same: %s; recall the same: %s', (one, other, same, recalled) => {
    expect(isSameStatement(one, other)).toBe(same)
    expect(recallsSame(one, other)).toBe(recalled)
  })

  it('have one hash when they differ in case, accents and punctuation only', () => {
    expect(hashText('Café, tea')).toBe(hashText('  cafe TEA.'))
    expect(hashText('Café, tea')).not.toBe(hashText('tea cafe'))
    expect(hashText('🍵')).not.toBe(hashText('🍺'))
  })
})

describe('fusing ranks', () => {
  it('puts first what several lists have near their top', () => {
    expect(fuse([['a', 'b', 'c'], ['b', 'd', 'a']])).toEqual(['b', 'a', 'd', 'c']) // oxfmt-ignore
  })

  it('gives a second place in two lists more than a first in one', () => {
    expect(fuse([['x', 'y'], ['z', 'y']])).toEqual(['y', 'x', 'z']) // oxfmt-ignore
  })

  it('of one list is that list, and of none nothing', () => {
    expect(fuse([['a', 'b']])).toEqual(['a', 'b'])
    expect(fuse([])).toEqual([])
  })
})
