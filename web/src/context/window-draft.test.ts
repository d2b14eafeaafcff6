import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../src/client/index.ts'
import { issueTexts as en } from '../api/en.ts'
import { issueTexts as zh } from '../api/zh.ts'
import { toWindowDraft, toWindowErrors, toWindowSettings } from './window-draft.ts'

describe('the settings of a window in a form', () => {
  it('come back as they were when nothing is changed', () => {
    const settings = {
      mode: 'memo',
      preset: 'last-10',
      limit: { chars: 0, messages: 6 },
      resize: { every_n_turns: 3, max_messages_text_length: 9 },
      memo: { model: 'openai/small' },
    } as const
    expect(toWindowSettings(toWindowDraft(settings), settings)).toEqual(settings)
    expect(toWindowSettings(toWindowDraft({}), {})).toEqual({})
  })

  it('leave out what was emptied, and keep what has no field', () => {
    const settings = { limit: { chars: 5 }, resize: { every_n_turns: 2 }, memo: { max_length: 500 } }
    const draft = { ...toWindowDraft(settings), preset: 'last-10', chars: ' ', everyNTurns: '' } as const
    expect(toWindowSettings(draft, settings)).toEqual({ preset: 'last-10', memo: { max_length: 500 } })
  })

  it('hand what is no number to the server as it is', () => {
    expect(toWindowSettings({ ...toWindowDraft({}), chars: 'many', tokens: '-1' }, {})).toEqual({
      limit: { chars: 'many', tokens: -1 },
    })
  })

  it('get the sentences of the server at their fields, wherever they were sent', () => {
    const tooSmall = { code: 'too_small', params: { origin: 'number', minimum: 0, inclusive: true } }
    const noText = { code: 'invalid_type', params: { expected: ['string'] } }
    const refused = (...issues: object[]) =>
      new ParleyError('invalid_request', 'English.', { details: { issues } })
    const error = refused({ path: ['limit', 'chars'], ...tooSmall }, { path: ['memo', 'model'], ...noText })
    expect(toWindowErrors(error, en)).toEqual({
      chars: 'Must be at least 0.',
      form: 'memo.model: Must be text.',
    })
    const nested = refused({ path: ['window', 'limit', 'chars'], ...tooSmall })
    expect(toWindowErrors(nested, zh, 'window.')).toEqual({ chars: '不能小于 0。' })
    expect(toWindowErrors(new Error('No Parley answers.'), zh)).toEqual({ form: 'No Parley answers.' })
    expect(toWindowErrors(null, zh)).toEqual({})
  })
})
