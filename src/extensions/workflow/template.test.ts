import { expect, it } from 'vitest'
import { fillIn, fillInValue, maxFilled, referencesIn } from './template.ts'

const values: Record<string, unknown> = {
  args: { topic: 'tea', n: 3, list: [1, 2] },
  write: { output: '$args.n' },
}
const lookUp = ({ root, path }: { root: string; path: string[] }) =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values[root])
const isKnown = (root: string) => Object.hasOwn(values, root)

it.each([
  ['About $args.topic.', 'About tea.'],
  ['$args.n cups of $args.topic, $args.list', '3 cups of tea, [1,2]'],
  ['It costs $5 or $$args.n', 'It costs $5 or $args.n'],
  ['$HOME stays, $args.none goes', '$HOME stays,  goes'],
  ['$args.list[1]', '2'],
  ['Price: 100$', 'Price: 100$'],
])('%j becomes %j', (text, expected) => {
  expect(fillIn(text, lookUp, isKnown)).toBe(expected)
})

it('does not read what it put in as a template', () => {
  expect(fillIn('$write.output', lookUp, isKnown)).toBe('$args.n')
})

it('keeps the type of a value that is one name alone, and fills in what is inside of others', () => {
  expect(
    fillInValue({ a: '$args.list', b: ['n is $args.n', '$args.n'], c: 1, d: '$args.none' }, lookUp, isKnown),
  ).toEqual({
    a: [1, 2],
    b: ['n is 3', 3],
    c: 1,
    d: null,
  })
  expect(fillInValue('$$', lookUp, isKnown)).toBe('$')
})

it('tells every name, and where it stands', () => {
  expect(referencesIn({ a: ['x $b.data', { c: '$$ $d' }], e: 5 })).toEqual([
    { reference: { root: 'b', path: ['data'] }, path: ['a', 0] },
    { reference: { root: 'd', path: [] }, path: ['a', 1, 'c'] },
  ])
})

it('refuses to fill in more than anybody needs, counted over all of a value', () => {
  const half = () => 'x'.repeat(maxFilled / 2)
  expect(fillIn('$args$args', half, isKnown)).toHaveLength(maxFilled)
  const tooMuch = expect.objectContaining({ code: 'invalid_request' })
  expect(() => fillIn('$args$args$args', half, isKnown)).toThrow(tooMuch)
  expect(() => fillInValue(['$args', { a: '$args' }, 'and $args'], half, isKnown)).toThrow(tooMuch)
})
