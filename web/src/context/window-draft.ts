import type { WindowSettings } from '../../../src/core/protocol/window.ts'
import { toFieldErrors, type FieldErrors } from '../api/field-errors.ts'
import type { IssueTexts } from '../api/texts.ts'

/** What a form holds: text, since a person may write anything. Empty: what the server's settings say. */
export interface WindowDraft {
  mode: '' | 'lite' | 'memo'
  preset: '' | NonNullable<WindowSettings['preset']>
  chars: string
  messages: string
  tokens: string
  everyNTurns: string
}

export type WindowField = keyof WindowDraft

/** Where a field is in what the server is sent. */
const paths: Record<WindowField, string> = {
  mode: 'mode',
  preset: 'preset',
  chars: 'limit.chars',
  messages: 'limit.messages',
  tokens: 'limit.tokens',
  everyNTurns: 'resize.every_n_turns',
}

export const toWindowDraft = ({ mode, preset, limit, resize }: WindowSettings): WindowDraft => ({
  mode: mode ?? '',
  preset: preset ?? '',
  chars: toText(limit?.chars),
  messages: toText(limit?.messages),
  tokens: toText(limit?.tokens),
  everyNTurns: toText(resize?.every_n_turns),
})

/** What is not in the form stays as it was set. */
export function toWindowSettings(draft: WindowDraft, before: WindowSettings): WindowSettings {
  const { mode: _mode, preset: _preset, limit: _limit, resize, ...rest } = before
  const all = {
    ...rest,
    mode: draft.mode || undefined,
    preset: draft.preset || undefined,
    limit: orNothing({
      chars: toNumber(draft.chars),
      messages: toNumber(draft.messages),
      tokens: toNumber(draft.tokens),
    }),
    resize: orNothing({ ...resize, every_n_turns: toNumber(draft.everyNTurns) }),
  }
  return orNothing(all) ?? {}
}

/** What the server has to say, by field; `within` is where the settings are in what it was sent. */
export function toWindowErrors(error: unknown, t: IssueTexts, within = ''): FieldErrors<WindowField> {
  const fields = Object.entries(paths).map(([field, path]) => [field, within + path] as const)
  const found = toFieldErrors(
    error,
    fields.map(([, path]) => path),
    t,
  )
  return { form: found.form, ...Object.fromEntries(fields.map(([field, path]) => [field, found[path]])) }
}

const toText = (value: number | undefined) => (value === undefined ? '' : String(value))

/** What is no number goes to the server as it is, which says what it wants instead. */
function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
}

function orNothing(group: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = Object.entries(group).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
