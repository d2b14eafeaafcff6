import { expect, it } from 'vitest'
import { z } from 'zod'
import { ParleyError } from './error.ts'
import { countMoreIssues, issueCodes, issuesOf, type Issue } from './issue.ts'
import { checkAt, misfit } from './issues.ts'
import { listOf, scopeSchema } from './names.ts'
import { toIssues } from './to-issues.ts'
import { wordings } from './wordings.ts'

const issuesIn = (schema: z.ZodType, value: unknown): Issue[] =>
  toIssues(schema.safeParse(value).error!, value).issues

const at = (code: Issue['code'], params: Issue['params'], path: Issue['path'] = []): Issue => ({
  path,
  code,
  params,
})

type Case = [schema: z.ZodType, value: unknown, issue: Issue]
const cases: Case[] = [
  [z.object({ a: z.string() }), {}, at('required', { expected: ['string'] }, ['a'])],
  [z.object({ a: z.enum(['x']) }), {}, at('required', { values: ['x'] }, ['a'])],
  [
    z.object({ a: z.union([z.string(), z.null()]) }),
    {},
    at('required', { expected: ['string', 'null'] }, ['a']),
  ],
  [z.object({ constructor: z.string() }), {}, at('required', { expected: ['string'] }, ['constructor'])],
  [z.string(), 5, at('invalid_type', { expected: ['string'] })],
  [z.int(), 1.5, at('invalid_type', { expected: ['integer'] })],
  [z.record(z.string(), z.int()), [], at('invalid_type', { expected: ['object'] })],
  [z.enum(['user', 'assistant']), 'robot', at('invalid_value', { values: ['user', 'assistant'] })],
  [z.literal([1, null]), 'robot', at('invalid_value', { values: [1, null] })],
  [z.string().min(1), '', at('too_small', { origin: 'string', minimum: 1, inclusive: true })],
  [z.int().positive(), 0, at('too_small', { origin: 'number', minimum: 0, inclusive: false })],
  [z.array(z.int()).max(1), [1, 2], at('too_big', { origin: 'array', maximum: 1, inclusive: true })],
  [
    z.string().length(2),
    'abc',
    at('too_big', { origin: 'string', maximum: 2, inclusive: true, exact: true }),
  ],
  [z.number().multipleOf(5), 7, at('not_multiple', { divisor: 5 })],
  [z.iso.datetime(), 'x', at('invalid_format', { format: 'datetime' })],
  [z.string().startsWith('ses_'), 'x', at('invalid_format', { format: 'starts_with', prefix: 'ses_' })],
  [z.string().regex(/^a$/), 'x', at('invalid_format', { format: 'regex', pattern: '/^a$/' })],
  [scopeSchema, 'A B', at('invalid_format', { format: 'slug', message: wordings.slug })],
  [z.strictObject({}), { a: 1, b: 2 }, at('unknown_key', { keys: ['a', 'b'] })],
  [z.record(scopeSchema, z.int()), { 'A B': 1 }, at('invalid_key', { format: 'slug' }, ['A B'])],
  [z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), { c: 1 }, at('no_match', {})],
  [
    z.string().refine(() => false, wordings.not_blank),
    'x',
    at('custom', { rule: 'not_blank', message: wordings.not_blank }),
  ],
  [
    z
      .string()
      .refine(() => false, { error: 'give one', params: { rule: 'one_of', keys: ['a'], secret: 'x' } }),
    'x',
    at('custom', { rule: 'one_of', keys: ['a'], message: 'give one' }),
  ],
  [z.string().refine(() => false), 'x', at('custom', {})],
]

it.each(cases)('tells what is wrong in a code of ours: case %#', (schema, value, issue) => {
  expect(issuesIn(schema, value)).toEqual([issue])
})

it('has a case for each code', () => {
  expect(new Set(cases.map(([, , { code }]) => code))).toEqual(new Set(issueCodes))
})

it('names places in lists by number, and what is wrong with an item that was counted before it was looked at', () => {
  const schema = z.object({ list: listOf(z.object({ name: z.string() }), 3, {}) })
  expect(issuesIn(schema, { list: [{ name: 'a' }, { name: 1 }] })).toEqual([
    at('invalid_type', { expected: ['string'] }, ['list', 1, 'name']),
  ])
})

it('tells of a union what is wrong with the alternative that was meant', () => {
  const byType = z.union([
    z.string(),
    z.strictObject({ name: z.string(), deep: z.union([z.int(), z.null()]) }),
  ])
  expect(issuesIn(z.object({ a: byType }), { a: { deep: 'x' } })).toEqual([
    at('required', { expected: ['string'] }, ['a', 'name']),
    at('invalid_type', { expected: ['number', 'null'] }, ['a', 'deep']),
  ])
  const byLiteral = z.union([
    z.object({ type: z.literal('a'), size: z.int() }),
    z.object({ type: z.literal('b'), name: z.string() }),
  ])
  expect(issuesIn(byLiteral, { type: 'b' })).toEqual([at('required', { expected: ['string'] }, ['name'])])
  expect(issuesIn(byLiteral, { type: 'c' })).toEqual([at('no_match', {})])
  expect(issuesIn(z.union([byLiteral, z.null()]), 'x')).toEqual([
    at('invalid_type', { expected: ['object', 'null'] }),
  ])
})

it('tells the values of the field that decides between alternatives', () => {
  const schema = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a').optional() }),
    z.object({ kind: z.literal('b'), size: z.int() }),
  ])
  expect(issuesIn(schema, { kind: 'c' })).toEqual([at('invalid_value', { values: ['a', 'b'] }, ['kind'])])
  expect(issuesIn(schema, { kind: 'b' })).toEqual([at('required', { expected: ['number'] }, ['size'])])
})

it('stops after five, of issues and of keys, and says how many more there are', () => {
  const value = [1, 2, 3, 4, 5, 6, 7]
  const { issues, more } = toIssues(z.array(z.string()).safeParse(value).error!, value)
  expect([issues.length, more]).toEqual([5, 2])
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 1]))
  expect(issuesIn(z.strictObject({}), many)).toEqual([
    at('unknown_key', { keys: ['key0', 'key1', 'key2', 'key3', 'key4'], more: 95 }),
  ])
})

it('cuts hostile names', () => {
  const value = { ['x'.repeat(100_000)]: 1 }
  for (const schema of [z.strictObject({}), z.record(z.string(), z.string())])
    expect(JSON.stringify(issuesIn(schema, value)).length).toBeLessThan(500)
})

it('repeats nothing of a secret, not even what a schema says about it', () => {
  const schema = z.strictObject({
    key: z.string().refine(() => false, { error: ({ input }) => `not ${String(input)}` }),
    other: z.string().max(3),
    absent: z.string(),
  })
  const value = { key: 'sk-secret', other: 'sk-secret' }
  const error = misfit(schema.safeParse(value).error!, value, { isSecret: true })
  expect(issuesOf(error)).toEqual([
    at('custom', {}, ['key']),
    at('too_big', { origin: 'string', maximum: 3, inclusive: true }, ['other']),
    at('required', { expected: ['string'] }, ['absent']),
  ])
  expect(JSON.stringify(error.details)).not.toContain('sk-secret')
})

it('makes a refusal that says both, in the place where the value was sent', () => {
  const error = misfit(z.int().safeParse('x').error!, 'x', { before: 'size:', within: ['box', 0] })
  expect(error).toMatchObject({
    code: 'invalid_request',
    message: 'size: At the top level: expected number; got "x".',
    details: { issues: [at('invalid_type', { expected: ['number'] }, ['box', 0])] },
  })
})

it('adds the place to what a check of one field refuses, and to nothing else', () => {
  const refused = (error: unknown) => {
    try {
      return checkAt(['model'], () => {
        throw error
      })
    } catch (thrown) {
      return thrown as ParleyError
    }
  }
  const unknown = new ParleyError('invalid_request', 'No.', { details: { known: ['a'] } })
  expect(refused(unknown)).toMatchObject({
    message: 'No.',
    details: { known: ['a'], issues: [at('custom', {}, ['model'])] },
  })
  const placed = misfit(z.int().safeParse('x').error!, 'x')
  for (const error of [new ParleyError('conflict', 'No.'), placed, new TypeError('bug')])
    expect(refused(error)).toBe(error)
  expect(checkAt(['model'], () => 5)).toBe(5)
})

it('reads issues from an error, and none from anything else', () => {
  const issue = at('required', {}, ['a'])
  const error = new ParleyError('invalid_request', '', {
    details: {
      issues: [issue, { path: [], code: 'of_tomorrow', params: {} }, null, { code: 'required' }],
      more: 2,
    },
  })
  expect([issuesOf(error), countMoreIssues(error)]).toEqual([[issue], 2])
  for (const other of [
    undefined,
    null,
    'x',
    new Error(),
    new ParleyError('conflict', '', { details: { issues: 5 } }),
  ])
    expect([issuesOf(other), countMoreIssues(other)]).toEqual([[], 0])
})

it('gives every wording a name of its own', () => {
  expect(new Set(Object.values(wordings)).size).toBe(Object.keys(wordings).length)
})
