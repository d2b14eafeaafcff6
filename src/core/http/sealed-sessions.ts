import type { ParleyError } from '../protocol/error.ts'
import type { StoreOperations } from '../store/store.ts'

/** A session, by its id or by that of one of its runs. */
export type SessionPlace = { sessionId: string } | { runId: string }

/** Why a session is closed to everybody outside for now; undefined when it is not. */
export type SessionSeal = (store: StoreOperations, place: SessionPlace) => Promise<ParleyError | undefined>

export interface SealedSessions {
  /** Throws when the session is sealed. */
  refuse(place: SessionPlace): Promise<void>
  /** The items whose session is not sealed. `sessionOf` names the session that an item would show something of. */
  leaveOut<Item>(items: readonly Item[], sessionOf: (item: Item) => string | undefined): Promise<Item[]>
}

export function createSealedSessions(store: StoreOperations, seals: readonly SessionSeal[]): SealedSessions {
  const findSeal = async (place: SessionPlace): Promise<ParleyError | undefined> => {
    for (const seal of seals) {
      const refusal = await seal(store, place)
      if (refusal) return refusal
    }
    return undefined
  }
  return {
    async refuse(place) {
      const refusal = await findSeal(place)
      if (refusal) throw refusal
    },
    async leaveOut(items, sessionOf) {
      const sealed = new Set<string>()
      for (const sessionId of new Set(items.map(sessionOf)))
        if (sessionId !== undefined && (await findSeal({ sessionId }))) sealed.add(sessionId)
      return items.filter((item) => !sealed.has(sessionOf(item) ?? ''))
    },
  }
}
