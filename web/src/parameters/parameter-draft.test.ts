import { expect, it } from 'vitest'
import { readParameterDraft, toParameterDraft } from './parameter-draft.ts'

it('reads what it was made from, null included', () => {
  const settings = {
    temperature: 0.2,
    topP: null,
    maxOutputTokens: 500,
    stop: ['END', ' two words'],
    seed: 0,
    presencePenalty: -1,
    reasoningEffort: 'low' as const,
    providerOptions: { openai: { service_tier: 'flex' } },
  }
  expect(readParameterDraft(toParameterDraft(settings))).toEqual({ parameters: settings, errors: {} })
})

it('takes empty fields for nothing, and nothing at all for null', () => {
  expect(readParameterDraft(toParameterDraft())).toEqual({ parameters: null, errors: {} })
})

it('names the fields that stand for nothing', () => {
  const draft = { ...toParameterDraft(), seed: 'seven', providerOptions: '[1]' }
  expect(readParameterDraft(draft).errors).toEqual({ seed: 'notNumber', providerOptions: 'notJson' })
})
