import { ParleyError } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isSeat } from '../../core/protocol/session-kinds.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './deps.ts'
import { openRoom } from './room.ts'

/** The session of an agent in a room, by its id or by that of one of its runs. */
type SeatPlace = { sessionId: string } | { runId: string }

/**
 * Keeps what agents are told in a game from the person who plays against them: their sessions and runs are closed until
 * the game is over.
 */
export async function requireUnsealed(
  store: StoreOperations,
  deps: RoomDeps,
  place: SeatPlace,
): Promise<void> {
  if (await isSealed(store, deps, place))
    throw new ParleyError(
      'forbidden',
      'A person plays in this room: the sessions of its agents are closed until the game is over.',
    )
}

/** The rest of a list: that an agent was asked at night says who it is. `seatOf` names the session that is looked at. */
export async function leaveOutSealed<Item>(
  store: StoreOperations,
  deps: RoomDeps,
  items: readonly Item[],
  seatOf: (item: Item) => string | undefined,
): Promise<Item[]> {
  const sealed = new Set<string>()
  for (const sessionId of new Set(items.map(seatOf)))
    if (sessionId !== undefined && (await isSealed(store, deps, { sessionId }))) sealed.add(sessionId)
  return items.filter((item) => !sealed.has(seatOf(item) ?? ''))
}

export const leaveOutSealedSeats = (store: StoreOperations, deps: RoomDeps, sessions: readonly Session[]) =>
  leaveOutSealed(store, deps, sessions, (session) => (isSeat(session) ? session.id : undefined))

async function isSealed(store: StoreOperations, deps: RoomDeps, place: SeatPlace): Promise<boolean> {
  const found = await store.findRoomOf(place)
  if (!found) return false
  const session = await store.requireSession(found.scope, found.id)
  // most modes have no secrets, and to open a room takes longer
  if (!deps.modes.some(({ name, isSealed: seals }) => name === session.mode && seals)) return false
  const { mode, facts, state } = await openRoom(store, deps, session)
  return mode.isSealed?.(facts, state) ?? false
}
