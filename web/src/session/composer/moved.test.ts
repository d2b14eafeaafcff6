import { expect, it } from 'vitest'
import { moved } from './moved.ts'

it('moves one item and keeps the others in order', () => {
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
})

it('leaves the list as it is at its ends', () => {
  const items = ['a', 'b']
  expect(moved(items, 0, -1)).toBe(items)
  expect(moved(items, 1, 1)).toBe(items)
  expect(moved(items, -1, 1)).toBe(items)
})
