import { describe, expect, it } from 'vitest'
import { toSearchTerms, toWords, toWordText, wordPatterns } from './search-words.ts'

describe('words of the index', () => {
  it.each([
    ['Hello, World!', ['hello', 'world']],
    ['Café ＡＢＣ Straße', ['cafe', 'abc', 'straße']],
    ['schema_v2.1', ['schema', 'v2', '1']],
    ['人工智能', ['人工', '工智', '智能', '能']],
    ['字', ['字']],
    ['用Python写代码', ['用', 'python', '写代', '代码', '码']],
    ['カタカナとひらがな', ['カタ', 'タカ', 'カナ', 'ナと', 'とひ', 'ひら', 'らが', 'がな', 'な']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['--- ... !!!', []],
  ])('of %j are %j', (text, words) => {
    expect(toWords(text)).toEqual(words)
  })

  it('cuts what is no word but data', () => {
    expect(toWords('x'.repeat(10_000))[0]).toHaveLength(64)
  })

  it('take a megabyte of hostile text in linear time', () => {
    for (const text of [
      'a'.repeat(1e6),
      '字'.repeat(1e6),
      'a字'.repeat(5e5),
      '\u0301'.repeat(1e6),
      ' a'.repeat(5e5),
    ])
      expect(toWords(text).length).toBeGreaterThanOrEqual(0)
  })
})

describe('terms of a search', () => {
  it.each([
    [
      'hel wor',
      [
        { words: ['hel'], prefix: true },
        { words: ['wor'], prefix: true },
      ],
    ],
    ['智能', [{ words: ['智能'], prefix: false }]],
    ['机器学习', [{ words: ['机器', '器学', '学习'], prefix: false }]],
    ['学', [{ words: ['学'], prefix: true }]],
    ['"!*', []],
  ])('of %j are %j', (query, terms) => {
    expect(toSearchTerms(query)).toEqual(terms)
  })
})

it('puts every word between blanks, of all texts in their order', () => {
  expect(toWordText('A title', 'Café, 人工智能')).toBe(' a title cafe 人工 工智 智能 能 ')
  expect(toWordText('', '')).toBe('  ')
})

it('looks at the beginning of a long text alone', () => {
  expect(toWordText('word '.repeat(30_000) + 'end')).not.toContain(' end ')
})

it('makes patterns that find words from their beginning, and words of unspaced scripts anywhere', () => {
  expect(wordPatterns('Cafés 智能 能')).toEqual(['% cafes%', '% 智能 %', '% 能%'])
})

it('leaves nothing in a pattern that a database takes for a wildcard', () => {
  expect(wordPatterns('100% of a_b')).toEqual(['% 100%', '% of%', '% a%', '% b%'])
  expect(() => wordPatterns('%_%')).toThrow('no letters or digits')
})
