import type { ParameterName, ParameterSettings } from '../../../src/core/protocol/parameters.ts'

/** What stands in the fields; empty is what the scope says. */
export type ParameterDraft = Record<ParameterName, string>

export const numbers = [
  'temperature',
  'topP',
  'maxOutputTokens',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
] as const satisfies ParameterName[]

/** Left to the model, whatever the scope says: what no number and no text can stand for. */
export const toModel = 'default'

export function toParameterDraft(settings: ParameterSettings = {}): ParameterDraft {
  const textOf = (name: ParameterName) => {
    const value = settings[name]
    if (value === null) return toModel
    if (value === undefined) return ''
    if (Array.isArray(value)) return value.join('\n')
    return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value)
  }
  return {
    temperature: textOf('temperature'),
    topP: textOf('topP'),
    maxOutputTokens: textOf('maxOutputTokens'),
    stop: textOf('stop'),
    seed: textOf('seed'),
    presencePenalty: textOf('presencePenalty'),
    frequencyPenalty: textOf('frequencyPenalty'),
    reasoningEffort: textOf('reasoningEffort'),
    providerOptions: textOf('providerOptions'),
  }
}

export type DraftErrors = Partial<Record<ParameterName, 'notNumber' | 'notJson'>>

/** What the fields stand for, and those that stand for nothing; the server checks the rest. */
export function readParameterDraft(draft: ParameterDraft): {
  parameters: ParameterSettings | null
  errors: DraftErrors
} {
  const parameters: Record<string, unknown> = {}
  const errors: DraftErrors = {}
  for (const [name, text] of Object.entries(draft) as [ParameterName, string][]) {
    if (text.trim() === '') continue
    const value = text.trim() === toModel ? null : toValue(name, text)
    if (value === undefined) errors[name] = name === 'providerOptions' ? 'notJson' : 'notNumber'
    else parameters[name] = value
  }
  return { parameters: Object.keys(parameters).length > 0 ? parameters : null, errors }
}

function toValue(name: ParameterName, text: string): unknown {
  if (name === 'reasoningEffort') return text
  // spaces and escapes are part of what a model may write
  if (name === 'stop') return text.split('\n').filter((line) => line !== '')
  if (name === 'providerOptions') return toObject(text)
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

function toObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined // said beside the field
  }
}
