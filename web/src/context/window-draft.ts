import type { PutWindow, WindowSettings, WindowView } from '../../../src/protocol/window.ts'

/** What the form holds: text, since a person may write anything. Empty: what the server's settings say. */
export interface WindowDraft {
  mode: '' | 'lite' | 'memo'
  preset: '' | NonNullable<WindowSettings['preset']>
  chars: string
  messages: string
  tokens: string
  everyNTurns: string
}

export const windowFields = ['mode', 'preset', 'chars', 'messages', 'tokens', 'everyNTurns'] as const
export type WindowField = (typeof windowFields)[number]

/** Where a field is in what the server is sent. */
const paths: Record<WindowField, string> = {
  mode: 'mode',
  preset: 'preset',
  chars: 'limit.chars',
  messages: 'limit.messages',
  tokens: 'limit.tokens',
  everyNTurns: 'resize.every_n_turns',
}

const shown = (value: number | undefined) => (value === undefined ? '' : String(value))

export const toDraft = ({ mode, preset, limit, resize }: WindowSettings): WindowDraft => ({
  mode: mode ?? '',
  preset: preset ?? '',
  chars: shown(limit?.chars),
  messages: shown(limit?.messages),
  tokens: shown(limit?.tokens),
  everyNTurns: shown(resize?.every_n_turns),
})

/** What is not in the form stays as it was set. */
export function toSettings(draft: WindowDraft, before: WindowSettings): PutWindow {
  const { mode: _mode, preset: _preset, limit: _limit, resize, ...rest } = before
  const limit = dropEmpty({
    chars: toNumber(draft.chars),
    messages: toNumber(draft.messages),
    tokens: toNumber(draft.tokens),
  })
  const resizing = dropEmpty({ ...resize, every_n_turns: toNumber(draft.everyNTurns) })
  return {
    ...rest,
    ...(draft.mode && { mode: draft.mode }),
    ...(draft.preset && { preset: draft.preset }),
    ...(limit && { limit }),
    ...(resizing && { resize: resizing }),
  } as PutWindow
}

/** What is no number goes to the server as it is, which says what it wants instead. */
function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
}

function dropEmpty(group: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(group).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The server's sentences by field (`At "limit.chars": …`); what belongs to none is under `form`. */
export function toFieldErrors(message: string): Partial<Record<WindowField | 'form', string>> {
  const errors: Partial<Record<WindowField | 'form', string>> = {}
  for (const sentence of message.split(/(?<=\.) (?=At ")/)) {
    const [, path, text] = /^At "([^"]+)": (.*)$/s.exec(sentence) ?? []
    const field = windowFields.find((name) => paths[name] === path) ?? 'form'
    const said = field === 'form' ? sentence : `${text!.charAt(0).toUpperCase()}${text!.slice(1)}`
    errors[field] = errors[field] === undefined ? said : `${errors[field]} ${said}`
  }
  return errors
}

export type Origin = 'session' | 'preset' | 'server'

/** Where each setting that counts comes from. */
export function originsOf({ settings }: Pick<WindowView, 'settings'>): Record<WindowField, Origin> {
  const { mode, preset, limit, resize } = settings
  const byPreset = (own: unknown): Origin =>
    own !== undefined ? 'session' : preset !== undefined ? 'preset' : 'server'
  return {
    mode: mode === undefined ? 'server' : 'session',
    preset: preset === undefined ? 'server' : 'session',
    chars: byPreset(limit?.chars ?? (preset === undefined ? resize?.max_messages_text_length : undefined)),
    messages: byPreset(
      limit?.messages ?? (preset === undefined ? resize?.max_keep_messages_count : undefined),
    ),
    tokens: byPreset(limit?.tokens),
    everyNTurns:
      resize?.every_n_turns !== undefined ? 'session' : preset === 'unlimited' ? 'preset' : 'server',
  }
}
