import { describe, expect, it } from 'vitest'
import { buildLookup } from './name-lookup.ts'

const cats = [
  { name: 'milk', displayName: '银渐层', nicknames: ['牛奶'], aliases: ['Silver'] },
  { name: 'coffee', displayName: 'Abyssinian Cat', nicknames: ['咖啡'] },
  { name: 'Billy', displayName: '加菲猫' },
]

describe('the lookup', () => {
  it.each([
    ['milk', 'milk'],
    ['牛奶', 'milk'],
    ['silver', 'milk'],
    ['SILVER', 'milk'],
    ['银渐层', 'milk'],
    ['AbyssinianCat', 'coffee'],
    ['Abyssinian Cat', 'coffee'],
    ['abyssinian\u00a0cat', 'coffee'],
    ['billy', 'Billy'],
    ['ＢＩＬＬＹ', 'Billy'],
  ])('finds by name, nickname, alias and display name, whatever the case: %s', (called, name) => {
    expect(buildLookup(cats).find(called)).toBe(name)
  })

  it.each(['', 'mil', 'milky', '牛', 'nobody', 'Abyssinian', 'constructor', 'all'])(
    'finds nobody by %j',
    (called) => {
      expect(buildLookup(cats).find(called)).toBeUndefined()
    },
  )

  it('takes letters that are written in several ways for one', () => {
    const lookup = buildLookup([{ name: 'café' }, { name: 'ガトー' }, { name: '한글' }, { name: 'ΣΟΦΟΣ' }])
    expect(lookup.find('cafe\u0301')).toBe('café')
    expect(lookup.find('ｶﾞﾄｰ')).toBe('ガトー')
    expect(lookup.find('한글'.normalize('NFD'))).toBe('한글')
    expect(lookup.find('σοφος')).toBe('ΣΟΦΟΣ')
  })

  it('gives a word to the first who goes by it, and says who wanted it too', () => {
    const lookup = buildLookup([
      { name: 'one', nicknames: ['cat', 'CAT'], aliases: ['two'] },
      { name: 'two', nicknames: ['Cat'], aliases: ['dog'] },
    ])
    expect([lookup.find('cat'), lookup.find('two'), lookup.find('dog')]).toEqual(['one', 'two', 'two'])
    expect(lookup.clashes).toEqual([
      { called: 'Cat', agent: 'two', takenBy: 'one' },
      { called: 'two', agent: 'one', takenBy: 'two' },
    ])
    expect(buildLookup(cats).clashes).toEqual([])
  })

  it('knows people, who are no agents, before agents', () => {
    const lookup = buildLookup([{ name: 'milk', aliases: ['ada'] }], [{ name: 'ada', displayName: 'Ada L' }])
    expect(lookup.find('ada')).toBeUndefined()
    expect(lookup.match('Ada L', 0, (text, end) => end === text.length)?.value).toEqual({
      agents: [],
      people: ['ada'],
    })
    expect(lookup.clashes).toEqual([{ called: 'ada', agent: 'milk', takenBy: 'ada' }])
  })

  it('leaves out display names that cannot be one word', () => {
    const lookup = buildLookup([
      { name: 'a', displayName: 'C++ (expert)' },
      { name: 'b', displayName: 'x'.repeat(65) },
    ])
    expect(lookup.find('C++(expert)')).toBeUndefined()
    expect(lookup.find('x'.repeat(65))).toBeUndefined()
  })
})
