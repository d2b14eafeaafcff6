import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate, ExpressionError, parseExpression, referencesOf } from './expression.ts'
import { tries } from '../../../test/property-runs.ts'

const values: Record<string, unknown> = {
  args: { count: 3, text: '7', list: ['a', 'b'], deep: { items: [{ name: 'x' }] } },
  review: { output: 'fine', data: { approved: false, score: 0.5 } },
  empty: { output: '' },
}
const lookUp = ({ root, path }: { root: string; path: string[] }) =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    values[root],
  )
const result = (source: string) => evaluate(parseExpression(source), lookUp)

it.each<[string, unknown]>([
  ['$args.count', 3],
  ['$args.deep.items[0].name', 'x'],
  ['$args.none.at.all', null],
  ['$args.count == 3', true],
  ['$args.count == "3"', true],
  ['$args.text > 6', true],
  ['$args.text >= "7.0"', true],
  ['$args.count < -1', false],
  ['$args.count != 4', true],
  ['$review.output == "fine"', true],
  ["$review.output == 'Fine'", false],
  ['$review.output > 1', false],
  ['$args.list contains "b"', true],
  ['$args.list contains "c"', false],
  ['$review.output contains "in"', true],
  ['$args.none contains "in"', false],
  ['$args.none == null', true],
  ['$args.none == ""', false],
  ['not $review.data.approved', true],
  ['!$review.data.approved && $args.count > 1', true],
  ['$review.data.approved or $args.count > 1', true],
  ['false or true and false', false],
  ['(true or false) and not (false)', true],
  ['not not true', true],
  ['"a \\"quoted\\" text"', 'a "quoted" text'],
  ['$empty.output or false', false],
  ['"false" or "FALSE "', false],
])('%s is %j', (source, expected) => {
  expect(result(source)).toEqual(expected)
})

describe('what is no expression', () => {
  it.each<[string, number, RegExp]>([
    ['', 0, /missing/],
    ['$args.count >', 13, /missing/],
    ['count > 3', 0, /count is no value/],
    ['$a $b', 3, /\$b is one too many/],
    ['(true', 0, /not closed/],
    ['true)', 4, /one too many/],
    ['$args.count = 3', 12, /"=" has no meaning/],
    ['alert(1)', 0, /alert is no value/],
    ['"open', 0, /has no meaning/],
    ['1 + 1', 2, /"\+" has no meaning/],
    ['1 < 2 < 3', 6, /one too many/],
    ['$args[name]', 5, /has no meaning/],
  ])('%j is refused at %d', (source, offset, message) => {
    expect(() => parseExpression(source)).toThrow(ExpressionError)
    expect(() => parseExpression(source)).toThrow(message)
    expect(() => parseExpression(source)).toThrow(expect.objectContaining({ offset }))
  })

  it('is one that is too long or too deep, and comes to its end at once', () => {
    expect(() => parseExpression('1'.repeat(2_001))).toThrow(/longer than 2000/)
    expect(() => parseExpression(`${'('.repeat(900)}1${')'.repeat(900)}`)).toThrow(/too deeply/)
    expect(() => parseExpression(`${'not '.repeat(400)}1`)).toThrow(/too deeply/)
  })
})

it('knows all names that it speaks of', () => {
  const names = referencesOf(parseExpression('$a.output == $b-2.data[0].x and not ($c or "$d")'))
  expect(names.map(({ root, path }) => [root, ...path])).toEqual([
    ['a', 'output'],
    ['b-2', 'data', '0', 'x'],
    ['c'],
  ])
})

it('never does anything but answer or refuse, whatever it is given', () => {
  const word = fc.constantFrom(
    '$a',
    '$a.b[1]',
    '"x"',
    '1',
    'and',
    'or',
    'not',
    '==',
    '<',
    '(',
    ')',
    'contains',
    ' ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word).map((words) => words.join(' ')),
      ),
      (source) => {
        try {
          evaluate(parseExpression(source), lookUp)
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
        }
      },
    ),
    tries(100),
  )
})
