import { describe, expect, it } from 'vitest'
import { originsOf, toDraft, toFieldErrors, toSettings } from './window-draft.ts'

describe('the settings of a window in a form', () => {
  it('come back as they were when nothing is changed', () => {
    const settings = {
      mode: 'memo',
      preset: 'last-10',
      limit: { chars: 0, messages: 6 },
      resize: { every_n_turns: 3, max_messages_text_length: 9 },
      memo: { model: 'openai/small' },
    } as const
    expect(toSettings(toDraft(settings), settings)).toEqual(settings)
    expect(toSettings(toDraft({}), {})).toEqual({})
  })

  it('leave out what was emptied, and keep what has no field', () => {
    const settings = { limit: { chars: 5 }, resize: { every_n_turns: 2 }, memo: { max_length: 500 } }
    const draft = { ...toDraft(settings), chars: ' ', everyNTurns: '' }
    expect(toSettings(draft, settings)).toEqual({ memo: { max_length: 500 } })
  })

  it('hand what is no number to the server as it is', () => {
    expect(toSettings({ ...toDraft({}), chars: 'many', tokens: '-1' }, {})).toEqual({
      limit: { chars: 'many', tokens: -1 },
    })
  })

  it('get the sentences of the server at their fields', () => {
    const message =
      'At "limit.chars": too small: expected number to be >=0; got -1. At "memo.model": expected string; got 1.'
    expect(toFieldErrors(message)).toEqual({
      chars: 'Too small: expected number to be >=0; got -1.',
      form: 'At "memo.model": expected string; got 1.',
    })
    expect(toFieldErrors('No Parley answers.')).toEqual({ form: 'No Parley answers.' })
  })

  it('tell where each comes from', () => {
    expect(originsOf({ settings: { mode: 'memo', preset: 'last-20', limit: { tokens: 5 } } })).toEqual({
      mode: 'session',
      preset: 'session',
      chars: 'preset',
      messages: 'preset',
      tokens: 'session',
      everyNTurns: 'server',
    })
    expect(originsOf({ settings: {} }).chars).toBe('server')
  })
})
