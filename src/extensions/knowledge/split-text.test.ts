import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitText } from './split-text.ts'
import { tries } from '../../../test/property-runs.ts'

it('cuts between paragraphs, else lines, sentences, words, and else anywhere', () => {
  expect(splitText('one\n\nseven more', 8)).toEqual(['one\n\n', 'seven ', 'more'])
  expect(splitText('aaaaa\nbb b', 8)).toEqual(['aaaaa\n', 'bb b'])
  expect(splitText('It is. So be it', 10)).toEqual(['It is. ', 'So be it'])
  expect(splitText('今天下雨。明天晴天', 7)).toEqual(['今天下雨。', '明天晴天'])
  expect(splitText('aaaaaaaaaa', 4)).toEqual(['aaaa', 'aaaa', 'aa'])
})

it('has nothing of a text that says nothing, and all of one that fits', () => {
  expect(splitText('')).toEqual([])
  expect(splitText(' \n\t')).toEqual([])
  expect(splitText('x')).toEqual(['x'])
})

it('loses nothing but blanks, is never longer than allowed, and leaves characters whole', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.integer({ min: 4, max: 60 }),
      (text, limit) => {
        const parts = splitText(text, limit)
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit)
          expect(part.isWellFormed()).toBe(true)
        }
        const bare = (all: string) => all.replace(/\s/g, '')
        expect(bare(parts.join(''))).toBe(bare(text))
      },
    ),
    tries(100),
  )
})
