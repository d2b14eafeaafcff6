import { describe, expect, it } from 'vitest'
import { toWindow, toWindowDraft } from './window-draft.ts'

describe('the window of a scope in the form', () => {
  it('is the same when nothing was changed', () => {
    const settings = {
      mode: 'memo',
      limit: { chars: 1_000, messages: 0 },
      resize: { every_n_turns: 3, max_keep_messages_count: 7 },
      memo: { model: 'demo/parley' },
    } as const
    expect(toWindow(toWindowDraft(settings), settings)).toEqual(settings)
  })

  it('loses what was emptied and keeps what the form does not show', () => {
    const settings = { mode: 'memo', limit: { chars: 5 }, memo: { max_length: 500 } } as const
    const draft = { ...toWindowDraft(settings), mode: '', chars: '', preset: 'last-10' } as const
    expect(toWindow(draft, settings)).toEqual({ preset: 'last-10', memo: { max_length: 500 } })
  })

  it('is nothing when all was emptied', () => {
    expect(toWindow(toWindowDraft({}), { limit: { chars: 5 } })).toBeNull()
  })

  it('leaves it to the server to say what is wrong with a number', () => {
    expect(toWindow({ ...toWindowDraft({}), chars: 'many' }, {})).toEqual({ limit: { chars: 'many' } })
  })
})
