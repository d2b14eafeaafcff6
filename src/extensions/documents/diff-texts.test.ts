import { expect, it } from 'vitest'
import { diffTexts } from './diff-texts.ts'

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

it('does not search texts that are long between their first and last change', () => {
  const text = (one: number, other: number) =>
    Array.from({ length: 300_000 }, (_, index) => (index % one < other ? 'a' : 'b')).join('\n')
  const { lines, ...rest } = diffTexts(`same\n${text(2, 1)}\nsame`, `same\n${text(3, 2)}\nsame`)
  expect(rest.isCut).toBe(true)
  expect(rest.added).toBeGreaterThan(299_000)
  expect(rest.removed).toBe(rest.added)
  expect(lines).toHaveLength(2_000)
})

it('finds one change in a long text', () => {
  const text = (word: string) =>
    Array.from({ length: 300_000 }, (_, index) => (index === 200_000 ? word : 'a')).join('\n')
  expect(diffTexts(text('x'), text('y'))).toEqual({
    added: 1,
    removed: 1,
    lines: [
      { change: 'removed', line: 200_001, text: 'x' },
      { change: 'added', line: 200_001, text: 'y' },
    ],
    isCut: false,
  })
})

it.each([
  ['\n', 'a\nb\n', 2, 1],
  ['', 'a', 1, 0],
  ['a\n', 'a\na\n', 1, 0],
  ['a\nb\na\n', 'a\na\n', 0, 1],
  ['x\na', 'a', 0, 1],
])('between %j and %j adds %i and removes %i', (before, after, added, removed) => {
  expect(diffTexts(before, after)).toMatchObject({ added, removed })
})
