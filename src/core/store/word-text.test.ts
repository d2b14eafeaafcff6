import { expect, it } from 'vitest'
import { toWordText, wordPatterns } from './word-text.ts'

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
