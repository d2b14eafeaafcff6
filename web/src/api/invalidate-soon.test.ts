import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createInvalidator } from './invalidate-soon.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('asks at once, then gathers what comes in a burst, and forgets nothing', () => {
  const asked: unknown[] = []
  const invalidate = createInvalidator({
    isFetching: () => 0,
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

it('asks once more for what changed while its first answer was on its way', async () => {
  const client = new QueryClient()
  const first = Promise.withResolvers<string>()
  const answers = [first.promise, Promise.resolve('new')]
  const observer = new QueryObserver(client, { queryKey: ['memories'], queryFn: () => answers.shift()! })
  const unsubscribe = observer.subscribe(() => {})
  createInvalidator(client)([['memories']])
  first.resolve('old')
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('new'))
  unsubscribe()
})
