import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import { parseYaml } from './yaml-text.ts'

const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  .concat(
    [...'bcdefghi'].map(
      (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(', ')}]`,
    ),
  )
  .join('\n')

it.each([
  ['a bomb of aliases', bomb, 'uses too many aliases', 2, 8],
  ['an alias without anchor', 'port: *nowhere', 'uses an alias that is not defined before it', 1, 7],
  ['an alias before its anchor', 'a: *b\nb: &b 1', 'uses an alias that is not defined before it', 1, 4],
  ['an alias that contains itself', 'a: &x\n  b: *x', 'uses an alias inside of what it stands for', 2, 6],
  ['one that does so twice', 'a: &x [*x, *x]', 'uses an alias inside of what it stands for', 1, 8],
  [
    'a long text that is used often',
    `a: &a ${'x'.repeat(20_000)}\nb: [${Array(60).fill('*a').join(', ')}]`,
    'is too large with its aliases written out',
    2,
    5,
  ],
  ['a duplicate key', 'port: 1\nhost: a\nport: 2', 'has the key "port" twice', 3, 1],
  ['a duplicate key in a group', 'openai:\n  apiKey: a\n  "apiKey": b', 'has the key "apiKey" twice', 3, 3],
  ['__proto__', 'scopes:\n  __proto__: {root: x}', 'has the key "__proto__", which is never allowed', 2, 3],
  ['__proto__ behind an alias', 'model: &p __proto__\n*p : {x: 1}', 'has a key that is not plain text', 2, 1],
  ['a key that is a list', '? [a]\n: b', 'has a key that is not plain text', 1, 3],
  ['a custom tag', 'host: !env HOST', 'has an unknown tag; a text that starts with ! needs quotes', 1, 7],
  ['a second document', 'port: 1\n---\nport: 2', 'has more than one document', 2, 1],
  ['an open quote', 'host: x\nmodel: "demo', 'is not valid YAML: Missing closing "quote', 2, 13],
  ['a tab', 'openai:\n\tapiKey: x', 'is not valid YAML: Tabs are not allowed as indentation', 2, 1],
])('refuses %s and says where', (_, text, message, line?: number, column?: number) => {
  const { value, faults } = parseYaml(text)
  expect(value).toBeUndefined()
  expect(faults).toEqual([{ message, ...(line === undefined ? {} : { line, column }) }])
})

it.each(['['.repeat(100_000), '{a: '.repeat(50_000), '- '.repeat(50_000), `${'a: {'.repeat(20_000)}`])(
  'refuses endless nesting (%#)',
  (text) => {
    expect(parseYaml(text).faults).toHaveLength(1)
  },
)

// quadratic work on so many keys would take many minutes
it('comes to an end with a file full of keys', { timeout: 60_000 }, () => {
  const text = Array.from({ length: 80_000 }, (_, index) => `k${index}: 1`).join('\n')
  expect(parseYaml(text).faults).toEqual([])
})

it.each([
  'apiKey: @SECRET',
  'apiKey: "SECRET',
  "apiKey: 'SECRET",
  'apiKey: "x" SECRET',
  'apiKey: SECRET: SECRET',
  'apiKey: !SECRET',
  'apiKey: !<SECRET',
  'apiKey: |SECRET',
  'apiKey: "\\USECRETSECRET"',
  '- apiKey\nSECRET: }',
  '}SECRET',
  'apiKey: "\\qSECRET"',
  '%SECRET\n---\na: *SECRET',
])('never quotes a value in a fault: %j', (text) => {
  const { faults } = parseYaml(text)
  expect(faults).not.toEqual([])
  expect(JSON.stringify(faults)).not.toContain('SECRET')
})

it('never quotes a value in a fault, whatever surrounds it', () => {
  const odd = fc.string({ unit: fc.constantFrom(...'!&*|>%@`"\'{}[]#:-?, \n\t\\<~0'), maxLength: 6 })
  fc.assert(
    fc.property(odd, odd, odd, (before, inside, after) => {
      const { faults } = parseYaml(`host: a\napiKey: ${before}SECRET${inside}SECRET${after}\nport: 1`)
      // a key that occurs twice is named; it is no value
      const messages = faults
        .map(({ message }) => message)
        .filter((message) => !message.startsWith('has the key'))
      expect(messages.join()).not.toMatch(/SECRE|ECRET/)
    }),
    tries(1_000),
  )
})

it('allows a few aliases', () => {
  expect(parseYaml('a: &x {root: y}\nb: *x').value).toEqual({ a: { root: 'y' }, b: { root: 'y' } })
})

it('allows 200 levels and says where there are more', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  expect(parseYaml(nested(200)).faults).toEqual([])
  expect(parseYaml(nested(201)).faults).toEqual([{ message: 'is nested too deeply', line: 1, column: 201 }])
})

it('finds the line of a path, or of the nearest part that is there', () => {
  const { lineOf } = parseYaml('a: 1\nb:\n  c: &x\n    - d\n    - e: 2\nf: *x')
  expect(lineOf(['b', 'c', 1, 'e'])).toBe(5)
  expect(lineOf(['b', 'missing'])).toBe(2)
  expect(lineOf(['f', 1, 'e'])).toBe(5)
  expect(lineOf(['missing'])).toBeUndefined()
})
