import type { StoredWindow, WindowMessage } from '../../store/queries/messages.ts'
import type { StoreOperations } from '../../store/store.ts'
import { measureChars } from './measure-messages.ts'

/**
 * The windows that were read lately, so that a turn reads what is new and not all of it again. Whether a copy still holds
 * is known from the row of the session, whoever changed it: `logVersion` advances when messages change or go.
 */
export interface LogCopies {
  /** As `readWindow` of the store. */
  read(store: StoreOperations, sessionId: string, limit?: number): Promise<StoredWindow | undefined>
  /** Of all copies together. */
  readonly characters: number
  /** Called by its own timer while there are copies. */
  forgetUnused(): void
  clear(): void
}

interface Copy {
  logVersion: number
  /** Without gaps. The newest input is not among them: what was sent along is stored with it later. */
  messages: readonly WindowMessage[]
  characters: number
  usedAt: number
}

// in memory three times as many bytes
const mostCharacters = 8_000_000
// as long as somebody takes to read an answer and to write the next message
const keptMs = 120_000

export function createLogCopies({
  now = () => performance.now(),
  most = mostCharacters,
}: { now?: () => number; most?: number } = {}): LogCopies {
  /** In the order in which they were used. */
  const copies = new Map<string, Copy>()
  const sizes = new WeakMap<WindowMessage, number>()
  let characters = 0
  let timer: NodeJS.Timeout | undefined

  function sizeOf(message: WindowMessage): number {
    let size = sizes.get(message)
    if (size === undefined) sizes.set(message, (size = measureChars(message)))
    return size
  }

  function keep(sessionId: string, { state: { logVersion }, messages: read }: StoredWindow): void {
    forget(sessionId)
    const messages = read.at(-1)?.role === 'user' ? read.slice(0, -1) : read
    const size = messages.reduce((sum, message) => sum + sizeOf(message), 0)
    // one that would take the place of all others is read each time
    if (messages.length === 0 || size > most / 4) return
    copies.set(sessionId, { logVersion, messages, characters: size, usedAt: now() })
    characters += size
    while (characters > most) forget(copies.keys().next().value!)
    timer ??= setInterval(forgetUnused, keptMs / 2).unref()
  }

  function forget(sessionId: string): void {
    characters -= copies.get(sessionId)?.characters ?? 0
    copies.delete(sessionId)
  }

  function forgetUnused(): void {
    for (const [sessionId, { usedAt }] of copies) {
      if (usedAt > now() - keptMs) return
      forget(sessionId)
    }
    stop()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    async read(store, sessionId, limit) {
      const copy = copies.get(sessionId)
      const newer = copy && (await store.readWindow(sessionId, { after: copy.messages.at(-1)!.seq, limit }))
      const window = (newer && join(copy, newer, limit)) ?? (await store.readWindow(sessionId, { limit }))
      if (window) keep(sessionId, window)
      return window
    },
    get characters() {
      return characters
    },
    forgetUnused,
    clear() {
      copies.clear()
      characters = 0
      stop()
    },
  }
}

/** Undefined when the copy no longer holds, or does not reach back far enough. */
function join(
  { logVersion, messages }: Copy,
  { state, messages: newer }: StoredWindow,
  limit = Infinity,
): StoredWindow | undefined {
  if (state.logVersion !== logVersion || newer[0]!.seq !== messages.at(-1)!.seq + 1) return undefined
  const all = [...messages.filter(({ seq }) => seq >= state.startSeq), ...newer]
  if (all[0]!.seq !== state.startSeq && all.length < limit) return undefined
  return { state, messages: all.length > limit ? all.slice(-limit) : all }
}
