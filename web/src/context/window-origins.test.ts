import { expect, it } from 'vitest'
import { originsOf } from './window-origins.ts'

it('tells where each setting of a window comes from', () => {
  expect(originsOf({ settings: { mode: 'memo', preset: 'last-20', limit: { tokens: 5 } } })).toEqual({
    mode: 'session',
    preset: 'session',
    chars: 'preset',
    messages: 'preset',
    tokens: 'session',
    everyNTurns: 'server',
  })
  expect(originsOf({ settings: {} }).chars).toBe('server')
})
