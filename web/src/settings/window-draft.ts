import type { WindowSettings } from '../../../src/protocol/window.ts'

/** What the form holds: text, since a person may write anything. Empty is what the server is set to. */
export interface WindowDraft {
  mode: '' | 'lite' | 'memo'
  preset: '' | NonNullable<WindowSettings['preset']>
  chars: string
  messages: string
  tokens: string
  everyNTurns: string
}

/** Where a field is in what the server is sent. */
export const windowPaths = {
  mode: 'window.mode',
  preset: 'window.preset',
  chars: 'window.limit.chars',
  messages: 'window.limit.messages',
  tokens: 'window.limit.tokens',
  everyNTurns: 'window.resize.every_n_turns',
} as const satisfies Record<keyof WindowDraft, string>

export const toWindowDraft = ({ mode, preset, limit, resize }: WindowSettings): WindowDraft => ({
  mode: mode ?? '',
  preset: preset ?? '',
  chars: toText(limit?.chars),
  messages: toText(limit?.messages),
  tokens: toText(limit?.tokens),
  everyNTurns: toText(resize?.every_n_turns),
})

/** What is not in the form stays as it was set; null when nothing is left. */
export function toWindow(draft: WindowDraft, before: WindowSettings): WindowSettings | null {
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
  return (orNothing(all) as WindowSettings | undefined) ?? null
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
