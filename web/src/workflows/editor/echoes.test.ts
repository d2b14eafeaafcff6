import { expect, it } from 'vitest'
import { createEchoes } from './echoes.ts'

it('knows what was typed here, also when more has been typed since', () => {
  const echoes = createEchoes()
  for (const text of ['a', 'ab', 'abc']) echoes.report(text)
  expect(echoes.take('ab')).toBe(true)
  expect(echoes.take('abc')).toBe(true)
  expect(echoes.take('abc')).toBe(false)
})

it('knows what came from elsewhere, and forgets what was typed before it', () => {
  const echoes = createEchoes()
  echoes.report('a')
  expect(echoes.take('saved')).toBe(false)
  expect(echoes.take('a')).toBe(false)
})
