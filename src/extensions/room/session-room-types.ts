import type { CreateSession, Session, UpdateSession } from '../../core/protocol/session.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Caller } from '../../core/sessions/caller.ts'

/** What rooms do for sessions; handed in, since they lie above them. */
export interface SessionRooms {
  /** Creates a session, or a room when it names agents or the mode of one. */
  create(tx: StoreOperations, caller: Caller, input: Omit<CreateSession, 'scope'>): Promise<Session>
  /** Refuses a change that a room cannot take. */
  checkPatch(tx: StoreOperations, caller: Caller, id: string, patch: UpdateSession): Promise<void>
  /** Brings the mode of a room back to where its log ends, after that was cut. */
  rewind(tx: StoreOperations, session: Session): Promise<void>
  /** Brings the mode of a fork to where the original stood at the end of what was copied. */
  fork(tx: StoreOperations, original: Session, fork: Session): Promise<void>
}
