import { describe, expect, it } from 'vitest'
import type { Arg } from './definition.ts'
import { readArgs, toDraft } from './run-args.ts'

const args: Record<string, Arg> = {
  topic: { type: 'string' },
  words: { type: 'number', default: 500 },
  isPublic: { type: 'boolean', default: true },
  sources: { type: 'array', default: [] },
  options: { type: 'object', default: { deep: true } },
  note: { default: 'none' },
}

describe('args of a run', () => {
  it('begin with their defaults, or with what another run was given', () => {
    expect(toDraft(args)).toEqual({
      topic: '',
      words: '500',
      isPublic: true,
      sources: '[]',
      options: '{\n  "deep": true\n}',
      note: 'none',
    })
    expect(toDraft(args, { topic: 'tea', isPublic: false })).toMatchObject({ topic: 'tea', isPublic: false })
  })

  it('are read by their types', () => {
    const draft = { ...toDraft(args), topic: ' tea ', words: '12', sources: '["a", 1]' }
    expect(readArgs(args, draft)).toEqual({
      args: {
        topic: ' tea ',
        words: 12,
        isPublic: true,
        sources: ['a', 1],
        options: { deep: true },
        note: 'none',
      },
    })
  })

  it('are left to their default where nothing is typed', () => {
    const read = readArgs(args, {
      topic: 'x',
      words: '',
      isPublic: true,
      sources: ' ',
      options: '',
      note: '',
    })
    expect(read).toEqual({ args: { topic: 'x', isPublic: true } })
  })

  it('say all that is wrong at once', () => {
    const draft = { topic: ' ', words: 'many', isPublic: false, sources: '{}', options: '[', note: '' }
    expect(readArgs(args, draft)).toEqual({
      problems: { topic: 'missing', words: 'number', sources: 'array', options: 'json' },
    })
  })
})
