import { expect, it } from 'vitest'
import { readEditedInput } from './edited-input.ts'

it('takes an object', () => {
  expect(readEditedInput('{"path": "a"}')).toEqual({ input: { path: 'a' } })
})

it.each(['[]', 'null', '"a"', '5'])('says that %s is no object', (text) => {
  expect(readEditedInput(text)).toEqual({ problem: 'no-object' })
})

it.each(['', '{', '{path: 1}'])('says why %j is no JSON', (text) => {
  expect(readEditedInput(text)).toMatchObject({ problem: 'no-json', reason: expect.stringMatching(/./) })
})
