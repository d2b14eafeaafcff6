import { sumSessions, type SessionTotals } from '../../core/sessions/session-usage.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** What the agents of a room used is used by the room. */
export async function sumSeats(
  store: StoreOperations,
  roomId: string,
  own: SessionTotals,
): Promise<SessionTotals> {
  const seats = await Promise.all(
    (await store.listSeats(roomId)).map(({ sessionId }) => store.getSessionUsage(sessionId)),
  )
  return sumSessions([own, ...seats.filter((usage) => usage !== undefined)])
}
