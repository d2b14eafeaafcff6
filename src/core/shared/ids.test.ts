import { expect, it } from 'vitest'
import { createIds } from './ids.ts'

it('makes ids that sort in the order they were made, within a millisecond and when the clock goes back', () => {
  const times = [1_000, 1_000, 1_000, 2_000, 500, 3_000]
  const ids = createIds({ now: () => times.shift() ?? 3_000 })
  const made = Array.from({ length: 2_000 }, () => ids.next('msg'))
  expect(made).toEqual(made.toSorted())
  expect(new Set(made).size).toBe(made.length)
  expect(made[0]).toMatch(/^msg_[0-9a-z]{26}$/)
})

it('makes ids of two makers that do not meet', () => {
  const clock = { now: () => 1_000 }
  const [one, two] = [createIds(clock), createIds(clock)]
  const made = Array.from({ length: 1_000 }, () => [one.next('ses'), two.next('ses')]).flat()
  expect(new Set(made).size).toBe(made.length)
})
