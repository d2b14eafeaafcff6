import { expect, it } from 'vitest'
import { compileObjectSchema } from './json-schema.ts'

type Schema = Record<string, unknown>

const of = (schema: Schema) => () => compileObjectSchema({ type: 'object', ...schema }, 'schema')
const to = (name: string) => ({ $ref: `#/$defs/${name}` })
/** Each refers to the next one twice. */
const doubling = (keyword: string) =>
  Object.fromEntries([
    ...Array.from({ length: 30 }, (_, at) => [`a${at}`, { [keyword]: [to(`a${at + 1}`), to(`a${at + 1}`)] }]),
    ['a30', { type: 'string' }],
  ])
const nested = (depth: number, around: (inner: Schema) => Schema): Schema =>
  depth === 0 ? { type: 'string' } : around(nested(depth - 1, around))
const branch = (name: string) => ({
  type: 'object',
  properties: { next: to('node'), [name]: { type: 'string' } },
  required: [name],
})

it.each<[string, Schema]>([
  ['alternatives that double', { allOf: [to('a0')], $defs: doubling('anyOf') }],
  ['exclusive alternatives that double', { allOf: [to('a0')], $defs: doubling('oneOf') }],
  ['parts that double', { properties: { a: to('a0') }, $defs: doubling('allOf') }],
  [
    'properties that double',
    {
      properties: { a: to('a0') },
      $defs: Object.fromEntries([
        ...Array.from({ length: 30 }, (_, at) => [
          `a${at}`,
          { type: 'object', properties: { x: to(`a${at + 1}`), y: to(`a${at + 1}`) } },
        ]),
        ['a30', { type: 'string' }],
      ]),
    },
  ],
  ['types that double', nested(30, (inner) => ({ type: ['object', 'object'], properties: { a: inner } }))],
  [
    'a circle with two alternatives',
    { properties: { a: to('node') }, $defs: { node: { anyOf: [branch('x'), branch('y')] } } },
  ],
  [
    'a circle with an alternative beside it',
    { properties: { a: to('node') }, $defs: { node: { ...branch('x'), allOf: [branch('y')] } } },
  ],
  [
    'a circle over two schemas',
    {
      properties: { a: to('one') },
      $defs: {
        one: {
          anyOf: [
            to('two'),
            { type: 'array', items: to('two') },
            { type: 'object', properties: { b: to('one') } },
          ],
        },
        two: { type: 'object', properties: { b: to('one') } },
      },
    },
  ],
  [
    'a circle with a search for one of its items',
    { properties: { a: { type: 'array', items: { $ref: '#' }, contains: { $ref: '#' } } } },
  ],
  [
    'more parts than anybody writes',
    { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, {}])) },
  ],
  ['a pattern', { properties: { a: { type: 'string', pattern: '(a+)+$' } } }],
])('%s make a schema that is refused', (_, schema) => {
  expect(of({ ...schema, type: 'object' })).toThrow(/cannot be used/)
})

it.each<[string, Schema, unknown]>([
  [
    'a tree',
    { properties: { left: { $ref: '#' }, right: { $ref: '#' } } },
    { left: { left: {} }, right: {} },
  ],
  [
    'a list that may end',
    { properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
    { next: { next: null } },
  ],
  [
    'a tree, alone or as a list',
    {
      properties: { a: { anyOf: [to('tree'), { type: 'array', items: to('tree') }] } },
      $defs: { tree: { type: 'object', properties: { children: { type: 'array', items: to('tree') } } } },
    },
    { a: [{ children: [{}] }] },
  ],
  ['a property that is called pattern', { properties: { pattern: { type: 'string' } } }, { pattern: 'a' }],
  [
    'several types',
    { properties: { a: { type: ['object', 'null'], properties: { b: { $ref: '#' } } } } },
    { a: { b: { a: null } } },
  ],
])('%s can be described', (_, schema, value) => {
  expect(of(schema)().safeParse(value).success).toBe(true)
})

it('a value that goes deep is held against a tree in no time', () => {
  const check = of({ properties: { left: { $ref: '#' }, right: { $ref: '#' } } })()
  const deep = Array.from({ length: 200 }).reduce<Schema>((inner) => ({ left: inner }), {})
  expect(check.safeParse(deep).success).toBe(true)
})
