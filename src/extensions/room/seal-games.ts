import type { SessionPlace, SessionSeal } from '../../core/http/sealed-sessions.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { openRoom } from './open-room.ts'

/**
 * Hides the prompts of agents in a game from the person who plays against them: their sessions and runs are closed until
 * the game has ended.
 */
export function sealGames(deps: RoomDeps): SessionSeal {
  return async (store, place) =>
    (await isSealed(store, deps, place))
      ? new ParleyError(
          'forbidden',
          'A person plays in this room: the sessions of its agents are closed until the game has ended.',
        )
      : undefined
}

async function isSealed(store: StoreOperations, deps: RoomDeps, place: SessionPlace): Promise<boolean> {
  const found = await store.findRoomOf(place)
  if (!found) return false
  const session = await store.requireSession(found.scope, found.id)
  // most modes have no secrets, and to open a room takes longer
  if (!deps.modes.some(({ name, isSealed: seals }) => name === session.mode && seals)) return false
  const { mode, facts, state } = await openRoom(store, deps, session)
  return mode.isSealed?.(facts, state) ?? false
}
