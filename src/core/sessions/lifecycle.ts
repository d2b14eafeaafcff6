import type { CreateSession, Session, UpdateSession } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

type NewSessionInput = Omit<CreateSession, 'scope'>
type Create = (tx: StoreOperations, caller: Caller, input: NewSessionInput) => Promise<Session>

/** What happens to sessions beside what the core does, all of it in the transaction of the change. */
export interface SessionLifecycle {
  /** Creates a session in its own way, or has `proceed` do it. */
  createSession?(
    tx: StoreOperations,
    caller: Caller,
    input: NewSessionInput,
    proceed: Create,
  ): Promise<Session>
  /** Refuses a change that a session cannot take. */
  checkPatch?(tx: StoreOperations, caller: Caller, id: string, patch: UpdateSession): Promise<void>
  /** A copy of a session was made: it stands where the original stood at the end of what was copied. */
  sessionForked?(tx: StoreOperations, original: Session, fork: Session): Promise<void>
  /** Before a log is cut after `messageSeq`: undoes what came of the rest. Its answer is part of the audit. */
  beforeRollback?(tx: StoreOperations, sessionId: string, messageSeq: number): Promise<Record<string, number>>
  /** After the log was cut. */
  sessionRolledBack?(tx: StoreOperations, session: Session): Promise<void>
}

/** All contributions as one. */
export type JoinedLifecycle = Required<Omit<SessionLifecycle, 'createSession'>> & { create: Create }

/** Each is called in its order; the first creates a session, and the others are what it proceeds with. */
export function joinLifecycles(contributions: readonly SessionLifecycle[], create: Create): JoinedLifecycle {
  return {
    create: contributions.reduceRight<Create>(
      (proceed, { createSession }) =>
        createSession ? (tx, caller, input) => createSession(tx, caller, input, proceed) : proceed,
      create,
    ),
    async checkPatch(tx, caller, id, patch) {
      for (const { checkPatch } of contributions) await checkPatch?.(tx, caller, id, patch)
    },
    async sessionForked(tx, original, fork) {
      for (const { sessionForked } of contributions) await sessionForked?.(tx, original, fork)
    },
    async beforeRollback(tx, sessionId, messageSeq) {
      const undone: Record<string, number> = {}
      for (const { beforeRollback } of contributions)
        Object.assign(undone, await beforeRollback?.(tx, sessionId, messageSeq))
      return undone
    },
    async sessionRolledBack(tx, session) {
      for (const { sessionRolledBack } of contributions) await sessionRolledBack?.(tx, session)
    },
  }
}
