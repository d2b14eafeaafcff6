import { invalidRequest, notFound, quote } from '../../protocol/error.ts'
import type { Session } from '../../protocol/session.ts'
import type {
  MemoVersion,
  MemoVersionPage,
  MemoView,
  PutMemo,
  PutWindow,
  Resize,
  ResizeRequest,
  UndoMemo,
  WindowView,
} from '../../protocol/window.ts'
import type { Store, StoreOperations } from '../../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from '../caller.ts'
import { requireLimit, type PageLimits } from '../list.ts'
import { checkMemo, diffMemos, memoSize } from './memo-schema.ts'
import { checkSettings } from './window-settings.ts'
import type { Windows } from './windows.ts'

/** What people do to windows and memos; each is within the scope of the caller. */

export async function getWindow(
  store: StoreOperations,
  windows: Windows,
  { scope }: Caller,
  id: string,
): Promise<WindowView> {
  return windows.view(await store.requireSession(scope, id), store)
}

/** Replaces what is set on the session; a window that stopped being resized gets another chance. */
export async function putWindow(
  store: StoreOperations,
  windows: Windows,
  caller: Caller,
  id: string,
  { scope: _, ...window }: PutWindow,
): Promise<WindowView> {
  checkSettings(window)
  return store.transaction(async (tx) => {
    const session = await tx.updateSession(caller.scope, id, { window })
    await tx.stopResizes(id, null)
    await auditSession(tx, caller, 'update', id, { fields: ['window'] })
    const view = await windows.view(session, tx)
    await recordSessionEvent(tx, caller, 'session-updated', id, { fields: ['window'] })
    return view
  })
}

export async function resizeWindow(
  store: Store,
  windows: Windows,
  caller: Caller,
  id: string,
  { type }: ResizeRequest,
): Promise<Resize> {
  const resize = await windows.resize(await store.requireSession(caller.scope, id), type)
  await auditSession(store, caller, 'update', id, { resize: resize.type })
  return resize
}

/** The newest version unless another one is named; an empty one when there is none yet. */
export async function getMemo(
  store: StoreOperations,
  windows: Windows,
  { scope }: Caller,
  id: string,
  version?: number,
): Promise<MemoView> {
  if (version !== undefined && (!Number.isInteger(version) || version < 0))
    throw invalidRequest(`version is ${quote(version)}; it must be a whole number from 0.`)
  const session = await store.requireSession(scope, id)
  const state = (await store.getWindowState(id))!
  const found = (await store.getMemo(id, version)) ?? (version ? undefined : emptyMemo(session))
  if (!found) throw notFound('memo version', String(version))
  const newest = found.version === state.memoVersion ? found : await store.getMemo(id)
  const before = found.version > 1 ? await store.getMemo(id, found.version - 1) : undefined
  return {
    ...found,
    schema: (await windows.effective(session, store)).memo.schema,
    waiting: Math.max(0, state.startSeq - 1 - (newest?.throughSeq ?? 0)),
    diff: diffMemos(before?.memo ?? {}, found.memo),
  }
}

export async function listMemoVersions(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  id: string,
  { limit, cursor }: { limit?: number; cursor?: string },
): Promise<MemoVersionPage> {
  await store.requireSession(scope, id)
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw invalidRequest('The cursor is not one of this list.')
  const before = cursor === undefined ? undefined : Number(cursor)
  const size = requireLimit(limits, limit)
  const items = await store.listMemoVersions(id, { before, limit: size + 1 })
  const page = items.slice(0, size)
  return { items: page, nextCursor: items.length > size ? String(page.at(-1)!.version) : null }
}

/** A person's own text: kept to the schema like any other. What is left out stays as it was. */
export async function putMemo(
  store: StoreOperations,
  windows: Windows,
  caller: Caller,
  id: string,
  { memo, pinned, baseVersion }: PutMemo,
): Promise<MemoView> {
  if (memo === undefined && pinned === undefined)
    throw invalidRequest('Give a "memo", the keys to be "pinned", or both.')
  await store.transaction(async (tx) => {
    const session = await tx.requireSession(caller.scope, id)
    const newest = (await tx.getMemo(id)) ?? emptyMemo(session)
    const effective = await windows.effective(session, tx)
    const next = memo === undefined ? newest.memo : checkMemo(memo, effective.memo)
    const version = await tx.addMemoVersion(id, baseVersion ?? newest.version, {
      memo: next,
      pinned: pinned ?? newest.pinned,
      throughSeq: newest.throughSeq,
      author: 'user',
      sizeBefore: memoSize(newest.memo),
      sizeAfter: memoSize(next),
    })
    await tx.stopResizes(id, null)
    await auditSession(tx, caller, 'update', id, { memoVersion: version.version })
    await recordSessionEvent(tx, caller, 'session-updated', id, { fields: ['memo'] })
  })
  return getMemo(store, windows, caller, id)
}

/** Goes back to an earlier version. What that one had not taken in yet will be taken in again. */
export async function undoMemo(
  store: StoreOperations,
  windows: Windows,
  caller: Caller,
  id: string,
  { version: wanted }: UndoMemo,
): Promise<MemoView> {
  await store.transaction(async (tx) => {
    const session = await tx.requireSession(caller.scope, id)
    const newest = await tx.getMemo(id)
    if (!newest) throw invalidRequest('The session has no memo yet.')
    const target = wanted ?? newest.version - 1
    const earlier = target === 0 ? emptyMemo(session) : await tx.getMemo(id, target)
    if (!earlier) throw notFound('memo version', String(target))
    const version = await tx.addMemoVersion(id, newest.version, {
      memo: earlier.memo,
      pinned: earlier.pinned,
      throughSeq: earlier.throughSeq,
      author: 'undo',
      sizeBefore: memoSize(newest.memo),
      sizeAfter: memoSize(earlier.memo),
    })
    await auditSession(tx, caller, 'update', id, { memoVersion: version.version, undo: target })
    await recordSessionEvent(tx, caller, 'session-updated', id, { fields: ['memo'] })
  })
  return getMemo(store, windows, caller, id)
}

const emptyMemo = ({ createdAt }: Session): MemoVersion => ({
  version: 0,
  memo: {},
  pinned: [],
  throughSeq: 0,
  author: 'user',
  sizeBefore: 0,
  sizeAfter: 0,
  createdAt,
})
