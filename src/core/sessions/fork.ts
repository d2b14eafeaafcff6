import { notFound } from '../protocol/error.ts'
import type { ForkSession, Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'
import type { JoinedLifecycle } from './lifecycle.ts'

/**
 * A new session with a copy of the log up to and including the message, or up to the one before it; messages keep their
 * ids. It is an interactive one whatever the original was: a run, its result and its checkpoints belong to the original
 * alone. A variant shares its family with the original, and neither depends on the other.
 */
export function forkSession(
  store: StoreOperations,
  caller: Caller,
  id: string,
  { messageId, before = false, variant = false, title }: ForkSession,
  lifecycle?: Pick<JoinedLifecycle, 'sessionForked'>,
): Promise<Session> {
  return store.transaction(async (tx) => {
    const original = await tx.requireSession(caller.scope, id)
    const last = await tx.getMessage(caller.scope, id, messageId)
    if (!last) throw notFound('message', messageId)
    const lastSeq = before ? last.seq - 1 : last.seq
    const family = variant ? (original.family ?? id) : undefined
    if (variant && original.family === undefined) await tx.joinFamily(caller.scope, id, id)
    const fork = await tx.createSession({
      scope: caller.scope,
      title: title ?? original.title,
      model: original.model,
      instructions: original.instructions,
      parameters: original.parameters,
      mode: original.mode,
      modeState: original.modeState,
      thread: original.thread,
      window: original.window,
      record: original.record,
      allowedTools: original.allowedTools,
      allowedSkills: original.allowedSkills,
      ...tx.facets.forkedOf(original),
      permissionMode: original.permissionMode,
      grantedPaths: original.grantedPaths,
      permissionRules: original.permissionRules,
      toolGroups: original.toolGroups,
      forkedFrom: { sessionId: id, messageId, ...(before && { before }) },
      family,
    })
    await tx.copyMessages(id, fork.id, lastSeq)
    await copyWindow(tx, id, fork.id, lastSeq)
    await lifecycle?.sessionForked(tx, original, await tx.requireSession(caller.scope, fork.id))
    const how = { ...(before && { before }), ...(variant && { variant }) }
    await auditSession(tx, caller, 'fork', fork.id, { from: id, messageId, ...how })
    const forked = await tx.requireSession(caller.scope, fork.id)
    await recordSessionEvent(tx, caller, 'session-created', fork.id, {
      kind: forked.kind,
      title: forked.title,
      forkedFrom: id,
      ...(family !== undefined && { family }),
    })
    return forked
  })
}

/** The fork sees what the original saw there, as far as the message reaches. */
async function copyWindow(tx: StoreOperations, fromId: string, toId: string, lastSeq: number): Promise<void> {
  const [from, to] = [await tx.getWindowState(fromId), await tx.getWindowState(toId)]
  if (from && to && from.startSeq <= lastSeq) await tx.moveWindow(toId, to, from.startSeq)
  const memo = await tx.getMemoThrough(fromId, lastSeq)
  if (memo) await tx.addMemoVersion(toId, 0, { ...memo, author: 'import' })
}
