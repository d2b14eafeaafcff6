/** The mode of a room stands where its log ends, also when that was cut or copied. */
import { ParleyError } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isRoom } from './protocol/session-kinds.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { beginMode, putState, readFacts } from './open-room.ts'
import { closeRound } from './rooms.ts'

/** After the log was cut: what the mode has come to since is undone, and so are rounds. */
export async function rewindRoom(tx: StoreOperations, deps: RoomDeps, session: Session): Promise<void> {
  if (!isRoom(session)) return
  await tx.cutRoom(session.id, session.messageCount)
  const { options = {} } = (await tx.getRoomState(session.id)) ?? {}
  const mode = await standAt(tx, deps, session, options)
  await tx.recordEvent(session.scope, { type: 'room-updated', sessionId: session.id, data: { mode } })
}

/** After its log was copied: a fork stands where the original stood, and neither moves the other. */
export async function forkRoom(
  tx: StoreOperations,
  deps: RoomDeps,
  original: Session,
  fork: Session,
): Promise<void> {
  if (!isRoom(original)) return
  await tx.copyRoomStates(original.id, fork.id, fork.messageCount)
  const { options = {} } = (await tx.getRoomState(original.id)) ?? {}
  await standAt(tx, deps, fork, options)
}

/** Restores the mode as it was at the end of the log; restarts it when that is not kept any more. Returns its name. */
async function standAt(
  tx: StoreOperations,
  deps: RoomDeps,
  session: Session,
  latest: Record<string, unknown>,
): Promise<string> {
  const { id, scope, messageCount } = session
  const kept = await tx.getRoomStateAt(id, messageCount)
  const mode = deps.modes.find(({ name }) => name === (kept?.mode ?? session.mode)) ?? deps.modes[0]!
  if (session.mode !== mode.name) await tx.updateSession(scope, id, { mode: mode.name })
  const { facts } = await readFacts(tx, deps, session)
  const known = kept && mode.state.safeParse(kept.state).data
  const options = kept?.options ?? latest
  const state = known ?? begin()
  if (!known) await closeRound(tx, id)
  if (state) await putState(tx, deps, { session, mode, facts, options }, state)
  return mode.name

  function begin(): Record<string, unknown> | undefined {
    try {
      return beginMode(mode, facts, options)
    } catch (error) {
      // it cannot start with the agents that are left; the next input gets the error
      if (!(error instanceof ParleyError)) throw error
      return undefined
    }
  }
}
