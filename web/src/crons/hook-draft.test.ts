import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventHook } from '../../../src/client/index.ts'
import {
  emptyHook,
  formatFilter,
  parseFilter,
  toCreateHook,
  toHookDraft,
  toUpdateHook,
} from './hook-draft.ts'

describe('a filter in the form', () => {
  it('is lines of fields and values', () => {
    expect(parseFilter('label = nightly report\n\ncount=3\nok = true\ntext = "3"')).toEqual({
      filter: { label: 'nightly report', count: 3, ok: true, text: '3' },
    })
  })

  it('names the line that is none', () => {
    expect(parseFilter('label = a\nwithout')).toMatchObject({ wrong: 'without' })
  })

  it('takes any name, also one that objects have already', () => {
    expect(Object.entries(parseFilter('__proto__ = 0\nconstructor = x').filter)).toEqual([
      ['__proto__', 0],
      ['constructor', 'x'],
    ])
  })

  it('is the same after it was shown and read again', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => /^[^=\s]([^=\n\r]*[^=\s])?$/.test(text))
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (filter) => {
        expect(parseFilter(formatFilter(filter))).toEqual({ filter })
      }),
    )
  })
})

describe('an event hook in the form', () => {
  const hook: EventHook = {
    id: 'hook_1',
    scope: 'default',
    name: 'Look',
    event: 'bg:session.failed',
    filter: { label: 'report' },
    prompt: 'Why?',
    maxPerHour: 60,
    status: 'active',
    starts: 0,
    skipped: 0,
    createdAt: '2026-11-15T00:00:00.000Z',
    updatedAt: '2026-11-15T00:00:00.000Z',
  }

  it('leaves to the server what was left empty', () => {
    expect(toCreateHook({ ...emptyHook, event: 'run-ended', prompt: 'Look', maxPerHour: '' })).toEqual({
      event: 'run-ended',
      filter: {},
      prompt: 'Look',
    })
  })

  it('sends only what was changed', () => {
    expect(toUpdateHook(hook, toHookDraft(hook))).toEqual({})
    expect(toUpdateHook(hook, { ...toHookDraft(hook), filter: 'label = other' })).toEqual({
      filter: { label: 'other' },
    })
  })
})
