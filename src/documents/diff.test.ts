import { expect, it } from 'vitest'
import { diffTexts } from './diff.ts'

it('finds nothing between two that are the same', () => {
  expect(diffTexts('a\nb', 'a\nb')).toEqual({ added: 0, removed: 0, lines: [], isCut: false })
})

it('counts lines from the beginning of each text', () => {
  expect(diffTexts('a\nb\nc\n', 'c\nd\n').lines).toEqual([
    { change: 'removed', line: 1, text: 'a' },
    { change: 'removed', line: 2, text: 'b' },
    { change: 'added', line: 2, text: 'd' },
  ])
})

it('counts all lines and shows some of two that have nothing in common', () => {
  const text = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word} ${index}\n`).join('')
  const { lines, ...rest } = diffTexts(text('before'), text('after'))
  expect(rest).toEqual({ added: 5_000, removed: 5_000, isCut: true })
  expect(lines).toHaveLength(2_000)
})
