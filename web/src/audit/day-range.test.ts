import { expect, it } from 'vitest'
import { toTimeRange } from './day-range.ts'

it('takes whole days as they are where the person is, the last one included', () => {
  const { from, to } = toTimeRange({ from: '2026-11-14', to: '2026-12-31' })
  const [first, end] = [new Date(from!), new Date(to!)]
  expect([first.getFullYear(), first.getMonth(), first.getDate(), first.getHours()]).toEqual([
    2026, 10, 14, 0,
  ])
  expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours()]).toEqual([2027, 0, 1, 0])
})

it('leaves out what was not chosen, and hands on what is no day', () => {
  expect(toTimeRange({})).toEqual({})
  expect(toTimeRange({ from: 'yesterday' })).toEqual({ from: 'yesterday' })
})
