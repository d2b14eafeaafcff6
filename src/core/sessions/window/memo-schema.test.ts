import { describe, expect, it } from 'vitest'
import { checkMemo, compileMemoSchema, defaultMemoSchema, diffMemos, memoSize } from './memo-schema.ts'

const usual = { schema: defaultMemoSchema, maxLength: 1_000 }

describe('the usual schema of a memo', () => {
  it('has the keys that people come back to, all of them optional', () => {
    const full = {
      profile: { name: 'Ada', languages: ['en'] },
      preferences: ['tea'],
      constraints: ['no meat'],
      tasks: ['book a table'],
      decisions: ['at eight'],
      facts: ['has a cat'],
      recent_summary: 'A dinner was planned.',
    }
    expect(checkMemo(full, usual)).toEqual(full)
    expect(checkMemo({}, usual)).toEqual({})
    for (const [key, value] of Object.entries(full))
      expect(checkMemo({ [key]: value }, usual)).toEqual({ [key]: value })
    expect(Object.keys(defaultMemoSchema.properties as object)).toEqual(Object.keys(full))
  })

  it.each<[string, unknown, RegExp]>([
    ['another key', { mood: 'happy' }, /unknown key "mood"/],
    ['a key of the engine', { last_resize: {} }, /unknown key "last_resize"/],
    ['a text in place of a list', { facts: 'one' }, /"facts"/],
    ['a number in a list', { tasks: ['one', 2] }, /"tasks\.1"/],
    ['a list in place of a text', { recent_summary: ['x'] }, /"recent_summary"/],
    ['a list in place of an object', { profile: [] }, /"profile"/],
    ['null', null, /top level/],
    ['a list', [], /top level/],
    ['a text', 'memo', /top level/],
  ])('refuses %s, and says where', (_what, value, message) => {
    const check = () => checkMemo(value, usual)
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(check).toThrow(/^The memo does not keep to its schema\./)
    expect(check).toThrow(message)
  })
})

describe('a memo', () => {
  it('may be as long as is allowed, and not longer', () => {
    const memo = { recent_summary: 'x'.repeat(100) }
    const maxLength = JSON.stringify(memo).length
    expect(checkMemo(memo, { ...usual, maxLength })).toEqual(memo)
    const check = () => checkMemo(memo, { ...usual, maxLength: maxLength - 1 })
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(check).toThrow(`The memo has ${maxLength} characters; ${maxLength - 1} are allowed`)
  })

  it('that is empty has no size', () => {
    expect(memoSize({})).toBe(0)
    expect(memoSize({ a: 1 })).toBe('{"a":1}'.length)
  })

  it('that contains itself is refused', () => {
    const profile: Record<string, unknown> = {}
    profile.self = profile
    expect(() => checkMemo({ profile }, usual)).toThrow()
  })
})

describe('a schema of your own', () => {
  const schema = {
    type: 'object',
    properties: { mood: { type: 'string', enum: ['good', 'bad'] }, score: { type: 'integer', minimum: 0 } },
    required: ['mood'],
    additionalProperties: false,
  }

  it('is kept to', () => {
    const own = { schema, maxLength: 1_000 }
    expect(checkMemo({ mood: 'good', score: 3 }, own)).toEqual({ mood: 'good', score: 3 })
    for (const value of [{}, { mood: 'so so' }, { mood: 'good', score: -1 }, { mood: 'good', more: 1 }])
      expect(() => checkMemo(value, own), JSON.stringify(value)).toThrow(/does not keep to its schema/)
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['of a list', { type: 'array' }, /"type": "object"/],
    ['of nothing in particular', {}, /"type": "object"/],
    [
      'with a type that is none',
      { type: 'object', properties: { a: { type: 'strange' } } },
      /cannot be used/,
    ],
    ['that points nowhere', { type: 'object', properties: { a: { $ref: '#/nowhere' } } }, /cannot be used/],
  ])('%s is refused', (_what, given, message) => {
    const compile = () => compileMemoSchema(given)
    expect(compile).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(compile).toThrow(message)
  })

  it('is compiled once', () => {
    expect(compileMemoSchema(schema)).toBe(compileMemoSchema(schema))
  })
})

describe('the difference of two memos', () => {
  it('names what came, went and changed, and nothing else', () => {
    expect(
      diffMemos(
        { facts: ['a'], tasks: ['b'], recent_summary: 'x', profile: { a: 1 } },
        { facts: ['a'], recent_summary: 'y', profile: { a: 1 }, decisions: ['c'] },
      ),
    ).toEqual([
      { key: 'tasks', before: ['b'], after: undefined },
      { key: 'recent_summary', before: 'x', after: 'y' },
      { key: 'decisions', before: undefined, after: ['c'] },
    ])
    expect(diffMemos({}, {})).toEqual([])
  })
})
