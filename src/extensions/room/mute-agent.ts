import type { RoomRecord } from './protocol/room.ts'
import { auditSession, type Caller } from '../../core/sessions/caller.ts'
import { requirePerson } from './speakers.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { requireAgentOf, requireCanMute } from './mute-rules.ts'
import { requireRoom } from './open-room.ts'
import { readRoom, requireIdle } from './rooms.ts'

/** Mutes an agent of a room, or lets it be asked again; one that is muted already stays so. */
export function muteAgent(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { agent: name, isMuted }: { agent: string; isMuted: boolean },
): Promise<RoomRecord> {
  return store.transaction(async (tx) => {
    await tx.lockSession(caller.scope, sessionId)
    const session = await requireRoom(tx, caller.scope, sessionId)
    requirePerson(session, undefined, caller.keyName)
    const { muted: before = [], ...settings } = session.room ?? {}
    // one that has left the room may be muted still
    const known = before.find((one) => foldName(one) === foldName(name))
    const agent = known ?? requireAgentOf(session, name)
    if (isMuted) requireCanMute(deps.modes.find((mode) => mode.name === session.mode) ?? deps.modes[0]!)
    if ((known !== undefined) !== isMuted) {
      await requireIdle(tx, sessionId)
      const muted = isMuted ? [...before, agent] : before.filter((one) => one !== agent)
      await tx.updateSession(caller.scope, sessionId, {
        room: { ...settings, ...(muted.length > 0 && { muted }) },
      })
      await auditSession(tx, caller, 'update', sessionId, { fields: ['room'], agent, muted: isMuted })
      await tx.recordEvent(caller.scope, {
        type: 'room-updated',
        sessionId,
        data: { mode: session.mode, agent, muted: isMuted },
      })
    }
    return readRoom(tx, deps, caller, sessionId)
  })
}
