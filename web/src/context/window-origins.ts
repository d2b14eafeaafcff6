import type { WindowView } from '../../../src/core/protocol/window.ts'
import type { WindowField } from './window-draft.ts'

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
