import type { CreateSession, Session } from '../protocol/session.ts'
import type { NewSession } from '../store/queries/sessions.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'
import { requireNoRaise } from './refuse-raised-rights.ts'
import { rightsInScope } from './scope-settings.ts'
import { requireOpenThread } from './threads.ts'
import { checkSettings } from './window/window-settings.ts'

/** The scope comes into being with its first session. */
export async function createSession(
  store: StoreOperations,
  caller: Caller,
  input: Omit<CreateSession, 'scope' | 'kind'> & Partial<NewSession>,
): Promise<Session> {
  if (input.window) checkSettings(input.window)
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    if (!caller.seesAllScopes) requireNoRaise(tx, caller, input, {}, await rightsInScope(tx, caller))
    if (input.thread !== undefined) await requireOpenThread(tx, caller, input.thread)
    const session = await tx.createSession({ ...input, scope: caller.scope })
    await auditSession(tx, caller, 'create', session.id, {
      kind: session.kind,
      ...(session.parameters && { parameters: session.parameters }),
    })
    await recordSessionEvent(tx, caller, 'session-created', session.id, {
      kind: session.kind,
      title: session.title,
    })
    return session
  })
}
