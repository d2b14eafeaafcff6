import type { Message } from '../core/protocol/message.ts'
import type { Sessions } from '../core/chat/session-operations.ts'

/** The part of a session's log that was read: oldest first, without gaps. */
export interface LogState {
  readonly messages: readonly Message[]
  readonly hasEarlier: boolean
}

/** Reads the log of one session into a state, page by page. What was read before the log was cut is never added to it. */
export interface ConversationLog {
  /** The newest page. */
  open(): Promise<void>
  /** Everything after the last message that is there. */
  readOn(): Promise<void>
  /** The page before the first message that is there. */
  loadEarlier(): Promise<void>
  /** Removes what the session no longer has. Returns the removed messages. */
  removeGone(): Promise<readonly Message[]>
}

const pageSize = 100

export function createConversationLog(
  read: Sessions['messages'],
  { sessionId, scope }: { sessionId: string; scope?: string },
  state: { get(): LogState; set(next: LogState): void },
): ConversationLog {
  let cuts = 0
  let loadingEarlier: Promise<void> | undefined
  const lastMessage = () => state.get().messages.at(-1)

  /** Whether the log still has what is shown as its end. */
  const isEndThere = async (): Promise<boolean> => {
    const last = lastMessage()
    if (!last) return true
    const { items } = await read(sessionId, { scope, after: last.seq - 1, limit: 1 })
    return lastMessage() === last ? items[0]?.id === last.id : isEndThere()
  }

  return {
    async open() {
      const { items, nextCursor } = await read(sessionId, { scope, limit: pageSize })
      state.set({ messages: items, hasEarlier: nextCursor !== null })
    },

    async readOn() {
      for (;;) {
        const before = cuts
        const { items, nextCursor } = await read(sessionId, {
          scope,
          after: lastMessage()?.seq ?? 0,
          limit: pageSize,
        })
        if (before !== cuts) continue
        // read twice at the same moment, a message must not be there twice
        const last = lastMessage()?.seq ?? 0
        const fresh = items.filter(({ seq }) => seq > last)
        const { messages, hasEarlier } = state.get()
        if (fresh.length > 0) state.set({ messages: [...messages, ...fresh], hasEarlier })
        if (nextCursor === null || items.length === 0) return
      }
    },

    loadEarlier() {
      const { messages, hasEarlier } = state.get()
      const before = messages[0]?.seq
      if (before === undefined || !hasEarlier) return Promise.resolve()
      loadingEarlier ??= read(sessionId, { scope, before, limit: pageSize })
        // before anybody is notified: listeners may request the next page immediately
        .finally(() => {
          loadingEarlier = undefined
        })
        .then(({ items, nextCursor }) => {
          const { messages: now } = state.get()
          if (now[0]?.seq === before)
            state.set({ messages: [...items, ...now], hasEarlier: nextCursor !== null })
        })
      return loadingEarlier
    },

    async removeGone() {
      if (await isEndThere()) return []
      const page = await read(sessionId, { scope, limit: pageSize })
      cuts++
      const { messages, hasEarlier } = state.get()
      const first = page.items[0]?.seq ?? 0
      const earlier = messages.filter(({ seq }) => seq < first)
      state.set({
        messages: [...earlier, ...page.items],
        hasEarlier: earlier.length > 0 ? hasEarlier : page.nextCursor !== null,
      })
      const left = new Set(page.items.map(({ id }) => id))
      return messages.filter(({ id, seq }) => seq >= first && !left.has(id))
    },
  }
}
