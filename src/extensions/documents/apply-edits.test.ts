import { expect, it } from 'vitest'
import { applyEdits } from './apply-edits.ts'

it('makes edits one after the other, with what they say taken as it is', () => {
  const edits = [
    { old: 'b', new: '$& $1' },
    { old: '$&', new: 'c' },
  ]
  expect(applyEdits('a b', edits, 100)).toBe('a c $1')
})

it.each([
  ['is not there', 'a', 'x', 'Edit 1: "x" is not in the document'],
  ['is there twice', 'x x', 'x', 'more than once'],
  ['overlaps itself', 'aaa', 'aa', 'more than once'],
])('refuses what %s', (_case, text, old, message) => {
  expect(() => applyEdits(text, [{ old, new: '' }], 100)).toThrow(message)
})

it('refuses edits that add too much together, before the first is made', () => {
  const edits = Array.from({ length: 9 }, (_, at) => ({ old: `${at}`, new: 'x'.repeat(20) }))
  expect(() => applyEdits('012345678', edits, 100)).toThrow(
    'would have 180 characters; the most is 100 bytes',
  )
  expect(applyEdits('012345678', edits.slice(0, 4), 100)).toHaveLength(85)
})

it('comes to an end, whatever is to be replaced', () => {
  const half = 'a'.repeat(100_000)
  expect(() => applyEdits('a'.repeat(1_000_000), [{ old: `${half}b${half}`, new: 'x' }], 2_000_000)).toThrow(
    'is not in the document',
  )
})
