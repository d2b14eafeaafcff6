import { expect, it } from 'vitest'
import { readPairs } from './key-values.ts'

it('reads what is JSON as that, and the rest as text', () => {
  expect(readPairs('--option', ['a=1', 'b=two words', 'c={"d":[true]}', 'e=', 'f=x=y'])).toEqual({
    a: 1,
    b: 'two words',
    c: { d: [true] },
    e: '',
    f: 'x=y',
  })
  expect(readPairs('--option', [])).toBeUndefined()
  expect(readPairs('--option')).toBeUndefined()
})

it('leaves text alone where text is asked for', () => {
  const schema = { properties: { a: { type: 'string' }, b: { type: 'integer' } } }
  expect(readPairs('--option', ['a=9', 'b=9', 'toString=9'], schema)).toEqual({ a: '9', b: 9, toString: 9 })
})

it.each(['a', '=a', ''])('refuses %j', (pair) => {
  expect(() => readPairs('--option', [pair])).toThrow('--option is')
})
