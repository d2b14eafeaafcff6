import { setImmediate as others } from 'node:timers/promises'
import { conflict, invalidRequest, quote } from '../protocol/error.ts'
import type { Session, SessionDocument } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'
import { settled } from './export.ts'
import { toSource, type DocumentSource } from './formats/import-reader.ts'
import { toWritten } from './formats/read-import.ts'
import { ensureOpenThread } from './threads.ts'
import { checkMemo, memoSize } from './window/memo-schema.ts'
import { checkSettings } from './window/window-settings.ts'
import type { MemoRules } from './window/windows.ts'

/**
 * Stores a document as a session. The id of an empty session of the scope fills that session. Otherwise the document
 * keeps its id where no scope has it; a caller who may not see all scopes gets a new one in any case, since keeping it
 * or not would reveal whether somebody else has it.
 */
export const importSession = (
  store: StoreOperations,
  windows: MemoRules,
  caller: Caller,
  { session, messages }: SessionDocument,
): Promise<Session> =>
  importFrom(store, windows, caller, toSource({ session, messages: messages.map(toWritten) }))

/** The same from a source. One transaction, in which others have their turn after every piece. */
export async function importFrom(
  store: StoreOperations,
  windows: MemoRules,
  caller: Caller,
  source: DocumentSource,
): Promise<Session> {
  const { session: record, messageCount } = source
  if (record.window) checkSettings(record.window)
  requirePlaces(record, messageCount)
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const existing = record.id === undefined ? undefined : await tx.getSession(caller.scope, record.id)
    if (record.memo) await requireMemo(tx, windows, caller, record, existing)
    const { target, isNew } = await claimTarget(tx, caller, record, existing)
    for (let stored = 0; stored < messageCount;) {
      const piece = await source.read(stored)
      if (piece.length === 0) throw new Error(`The source ended after ${stored} of ${messageCount} messages.`)
      await tx.appendWritten(caller.scope, target.id, piece)
      stored += piece.length
      if (stored < messageCount) await others()
    }
    await tx.addCheckpoints(target.id, record.checkpoints ?? [])
    if (record.windowStart !== undefined) await moveWindow(tx, target.id, record.windowStart)
    if (record.memo) await addMemo(tx, target.id, record.memo)
    if (isNew && record.updatedAt !== undefined) await tx.setUpdatedAt(target.id, record.updatedAt)
    await auditSession(tx, caller, 'import', target.id, { messages: messageCount })
    const imported = await tx.requireSession(caller.scope, target.id)
    const { kind, title } = imported
    if (isNew) await recordSessionEvent(tx, caller, 'session-created', target.id, { kind, title })
    else await recordSessionEvent(tx, caller, 'session-updated', target.id, { fields: ['title', 'messages'] })
    return imported
  })
}

async function claimTarget(
  tx: StoreOperations,
  caller: Caller,
  record: SessionDocument['session'],
  existing: Session | undefined,
): Promise<{ target: Session; isNew: boolean }> {
  if (existing) {
    if (existing.messageCount > 0)
      throw conflict(`The session ${quote(existing.id)} already has ${existing.messageCount} messages.`, {
        id: existing.id,
      })
    const patch = existing.title === '' ? { title: record.title } : {}
    return { target: await tx.updateSession(caller.scope, existing.id, patch), isNew: false }
  }
  const { checkpoints: _checkpoints, memo: _memo, windowStart: _start, id, ...fields } = settled(record)
  const canKeepId = id !== undefined && caller.seesAllScopes && !(await tx.isSessionIdTaken(id))
  if (record.thread !== undefined) await ensureOpenThread(tx, caller, record.thread)
  const target = await tx.createImported({
    ...fields,
    id: canKeepId ? id : undefined,
    scope: caller.scope,
    parentId: await knownParent(tx, caller, record),
  })
  return { target, isNew: true }
}

/** A parent that this scope does not have stays a note in `bgMeta`, not a link. */
async function knownParent(tx: StoreOperations, { scope }: Caller, { bgMeta }: SessionDocument['session']) {
  const id = bgMeta?.parentSessionId
  return id !== undefined && (await tx.getSession(scope, id)) ? id : undefined
}

function requirePlaces({ memo, windowStart = 1 }: SessionDocument['session'], messageCount: number): void {
  if (memo && memo.throughSeq > messageCount)
    throw invalidRequest(
      `The memo of the document has taken in ${memo.throughSeq} messages; the document has ${messageCount}.`,
    )
  if (windowStart > messageCount + 1)
    throw invalidRequest(
      `The window of the document begins at message ${windowStart}; the document has ${messageCount}.`,
    )
}

/** It keeps to the same as one that a person writes. */
async function requireMemo(
  tx: StoreOperations,
  windows: MemoRules,
  { scope }: Caller,
  { memo, id: _, createdAt: __, ...record }: SessionDocument['session'],
  existing: Session | undefined,
): Promise<void> {
  const target = existing ?? ({ ...record, scope } as Session)
  checkMemo(memo!.memo, (await windows.effective(target, tx)).memo)
}

async function addMemo(
  tx: StoreOperations,
  id: string,
  { memo, pinned = [], throughSeq }: NonNullable<SessionDocument['session']['memo']>,
): Promise<void> {
  const size = memoSize(memo)
  await tx.addMemoVersion(id, 0, {
    memo,
    pinned,
    throughSeq,
    author: 'import',
    sizeBefore: 0,
    sizeAfter: size,
  })
}

async function moveWindow(tx: StoreOperations, id: string, startSeq: number): Promise<void> {
  const state = await tx.getWindowState(id)
  if (state) await tx.moveWindow(id, state, startSeq)
}
