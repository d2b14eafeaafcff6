import { expect, it } from 'vitest'
import { applyEdits } from './edits.ts'

it('makes edits one after the other, with what they say taken as it is', () => {
  const edits = [
    { old: 'b', new: '$& $1' },
    { old: '$&', new: 'c' },
  ]
  expect(applyEdits('a b', edits)).toBe('a c $1')
})

it.each([
  ['is not there', 'a', 'x', 'Edit 1: "x" is not in the document'],
  ['is there twice', 'x x', 'x', 'more than once'],
  ['overlaps itself', 'aaa', 'aa', 'more than once'],
])('refuses what %s', (_case, text, old, message) => {
  expect(() => applyEdits(text, [{ old, new: '' }])).toThrow(message)
})
