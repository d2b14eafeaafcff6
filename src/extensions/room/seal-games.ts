import type { SessionSeal } from '../../core/http/sealed-sessions.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { openRoom } from './open-room.ts'

/**
 * Hides the prompts of agents in a game from the person who plays against them: their sessions and runs are closed until
 * the game has ended.
 */
export function sealGames(deps: RoomDeps): SessionSeal {
  /** Sessions that are not those of agents. They never become one: that of an agent is created as such. */
  const others = new Set<string>()
  return async (store, place) => {
    if ('sessionId' in place && others.has(place.sessionId)) return undefined
    const room = await store.findRoomOf(place)
    if (room) return (await isSealed(store, deps, room)) ? closed() : undefined
    if ('sessionId' in place) others.add(place.sessionId)
    if (others.size > maxKnown) others.delete(others.values().next().value!)
    return undefined
  }
}

// a megabyte
const maxKnown = 10_000

const closed = () =>
  new ParleyError(
    'forbidden',
    'A person plays in this room: the sessions of its agents are closed until the game has ended.',
  )

async function isSealed(
  store: StoreOperations,
  deps: RoomDeps,
  found: { id: string; scope: string },
): Promise<boolean> {
  const session = await store.requireSession(found.scope, found.id)
  // most modes have no secrets, and to open a room takes longer
  if (!deps.modes.some(({ name, isSealed: seals }) => name === session.mode && seals)) return false
  const { mode, facts, state } = await openRoom(store, deps, session)
  return mode.isSealed?.(facts, state) ?? false
}
