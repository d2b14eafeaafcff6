import type { SessionRooms } from './session-room-types.ts'
import { checkRoomPatch, createRoomOrSession } from './create.ts'
import type { RoomDeps } from './deps.ts'
import { forkRoom, rewindRoom } from './rewind.ts'

export const createSessionRooms = (deps: RoomDeps): SessionRooms => ({
  create: (tx, caller, input) => createRoomOrSession(tx, deps, caller, input),
  checkPatch: (tx, caller, id, patch) => checkRoomPatch(tx, deps, caller, id, patch),
  rewind: (tx, session) => rewindRoom(tx, deps, session),
  fork: (tx, original, fork) => forkRoom(tx, deps, original, fork),
})
