import { expect, it } from 'vitest'
import { readDraft, toDraft, toFields } from './schema-fields.ts'

const schema = {
  type: 'object',
  properties: {
    topic: { type: 'string', description: 'What is asked about' },
    rounds: { type: 'integer', minimum: 1, maximum: 20, default: 3 },
    share: { type: 'number' },
    judge: { type: 'string', enum: ['code', 'model'] },
    revote: { type: 'boolean', default: true },
    steal: { type: 'boolean' },
    notes: { type: 'array', items: { type: 'string' } },
    roles: {
      type: 'object',
      properties: { wolves: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 } },
      required: ['wolves'],
    },
    any: {},
    either: { anyOf: [{ type: 'string' }] },
  },
  required: ['topic', 'rounds'],
}
const fields = toFields(schema)
const read = (draft: object) => readDraft(fields, { ...toDraft(fields), ...draft })

it('makes fields of what a small form can show', () => {
  expect(fields.map(({ path, kind, isRequired }) => [path.join('.'), kind, isRequired])).toEqual([
    ['topic', 'text', true],
    ['rounds', 'number', false],
    ['share', 'number', false],
    ['judge', 'choice', false],
    ['revote', 'switch', false],
    ['steal', 'switch', false],
    ['notes', 'lines', false],
    ['roles.wolves', 'number', false],
  ])
  expect(fields.find(({ name }) => name === 'wolves')).not.toHaveProperty('max')
})

it('opens with what is there by default', () => {
  expect(toDraft(fields)).toMatchObject({ topic: '', rounds: '3', revote: true, steal: undefined })
})

it('reads what was filled in, and leaves out what was left empty', () => {
  expect(
    read({ topic: ' Cats ', judge: 'code', steal: false, notes: 'a\n\n b ', 'roles.wolves': '2' }),
  ).toEqual({
    value: {
      topic: 'Cats',
      rounds: 3,
      judge: 'code',
      revote: true,
      steal: false,
      notes: ['a', 'b'],
      roles: { wolves: 2 },
    },
  })
})

it('says what is wrong, field by field', () => {
  expect(read({ rounds: '21', share: 'much' })).toEqual({
    problems: { topic: 'missing', rounds: 'range', share: 'number' },
  })
  expect(read({ topic: 'x', rounds: '1.5' })).toEqual({ problems: { rounds: 'number' } })
})

it.each([undefined, null, 'x', {}, { properties: null }, { properties: { a: null } }])(
  'makes nothing of %j',
  (nothing) => {
    expect(toFields(nothing)).toEqual([])
  },
)
