import type { WindowMessage } from '../store/queries/messages.ts'
import type { Store } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

// generous: a window of this size is some hundred thousand tokens
export const maxMessages = 400
const maxCharacters = 600_000
const keptShare = 0.6

/**
 * The part of the log that the model sees. It never slides by one: when it is over its limit it is cut back in one
 * go, at the border of a turn, so that between cuts a prompt only grows at its end.
 */
export async function openWindow(
  store: Store,
  sessionId: string,
  rounds: Pick<TurnInput, 'fullContextTurns' | 'cachedContextTurns'> = {},
): Promise<{ window: WindowMessage[]; isCut: boolean }> {
  const window = await store.readWindow(sessionId, maxMessages + 1)
  const oldest = firstOfRounds(window, rounds)
  if (oldest !== undefined) {
    await store.setWindowStart(sessionId, oldest.seq)
    return { window: window.filter(({ seq }) => seq >= oldest.seq), isCut: true }
  }
  const sizes = window.map(({ parts }) => JSON.stringify(parts).length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (window.length <= maxMessages && total <= maxCharacters) return { window, isCut: false }
  let start = window.length - 1
  for (let size = 0, count = 0; start > 0; start--) {
    size += sizes[start]!
    if (++count > maxMessages * keptShare || size > maxCharacters * keptShare) break
  }
  while (start < window.length - 1 && window[start]!.role !== 'user') start++
  await store.setWindowStart(sessionId, window[start]!.seq)
  return { window: window.slice(start), isCut: true }
}

/**
 * A window of so many rounds: when it holds `fullContextTurns` and `cachedContextTurns` of them before the input, the
 * latter, the oldest, leave it together.
 */
function firstOfRounds(
  window: WindowMessage[],
  { fullContextTurns, cachedContextTurns = 3 }: Pick<TurnInput, 'fullContextTurns' | 'cachedContextTurns'>,
): WindowMessage | undefined {
  if (fullContextTurns === undefined) return undefined
  const inputs = window.filter(({ role }) => role === 'user')
  return inputs.length - 1 >= fullContextTurns + cachedContextTurns ? inputs[cachedContextTurns] : undefined
}
