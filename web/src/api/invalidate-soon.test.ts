import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createInvalidator } from './invalidate-soon.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('asks at once, then gathers what comes in a burst, and forgets nothing', () => {
  const asked: unknown[] = []
  const invalidate = createInvalidator({
    invalidateQueries: async (filters) => void asked.push(filters?.queryKey?.join('/')),
  })
  invalidate([['sessions']])
  expect(asked).toEqual(['sessions'])
  for (let index = 0; index < 100; index++) invalidate([['sessions'], ['session', 'a']])
  expect(asked).toEqual(['sessions'])
  vi.runAllTimers()
  expect(asked).toEqual(['sessions', 'sessions', 'session/a'])
  invalidate([['audit']])
  expect(asked.at(-1)).toBe('audit')
})
