import type { Caller } from '../../core/sessions/caller.ts'
import type { Restore } from '../../core/sessions/rollback.ts'
import type { DocumentRecord } from './store/documents.ts'
import type { Locked } from './store/locks.ts'
import type { TodoListRecord } from './store/todos.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import { recordSaved, removeDocument } from './documents.ts'
import { removeTodoList, saveTodoList } from './todos.ts'
import type { ToolContext } from '../../core/tools/tool.ts'

type Turn = Pick<ToolContext, 'scope' | 'changes'>

/** Before the document, which may not be there yet, is written or deleted: in the transaction that does so. */
export async function keepDocument(tx: StoreOperations, { scope, changes }: Turn, id: string): Promise<void> {
  if (!changes) return
  const found = await tx.lockDocument(scope, id)
  await changes.keep(tx, 'document', id, found?.deletedAt === undefined ? found : undefined)
}

/** The same before a todo list or one of its items is changed. */
export async function keepTodoList(tx: StoreOperations, { scope, changes }: Turn, id: string): Promise<void> {
  if (changes) await changes.keep(tx, 'todo_list', id, await tx.lockTodoList(scope, id))
}

/** How what turns did to documents and todo lists is undone: by kind of snapshot. Doing it twice does no harm. */
export function createRestorers(store: Store): Record<'document' | 'todo_list', Restore> {
  return {
    document: (caller, sessionId, { name: id, content }) =>
      store.transaction(async (tx) => {
        const now = await tx.lockDocument(caller.scope, id)
        const problem = await takeBack(tx, { type: 'document', id }, sessionId)
        return problem ?? (await bringDocumentBack(tx, caller, now, content))
      }),

    todo_list: (caller, sessionId, { name: id, content }) =>
      store.transaction(async (tx) => {
        const now = await tx.lockTodoList(caller.scope, id)
        const problem = await takeBack(tx, { type: 'todo_list', id }, sessionId)
        return problem ?? (await bringTodoListBack(tx, caller, now, content))
      }),
  }
}

/** What another session works on is not taken away from under it; this one forgets the turns in which it took the lock. */
async function takeBack(tx: StoreOperations, locked: Locked, sessionId: string): Promise<string | undefined> {
  const { holder } = await tx.readLock(locked)
  if (holder && holder.sessionId !== sessionId) return `Session ${holder.sessionId} holds it.`
  await tx.releaseLock(locked, sessionId)
  return undefined
}

/** What it was is written as a new version: numbers only rise. Without a content, it had not been there. */
async function bringDocumentBack(
  tx: StoreOperations,
  caller: Caller,
  now: DocumentRecord | undefined,
  content: string | undefined,
): Promise<string | undefined> {
  const isThere = now !== undefined && now.deletedAt === undefined
  if (content === undefined) {
    if (isThere) await removeDocument(tx, caller, now)
    return undefined
  }
  if (!now) return 'It is not there any more.'
  const { title, folder, content: text } = JSON.parse(content) as DocumentRecord
  if (isThere && now.title === title && now.folder === folder && now.content === text) return undefined
  const saved = await tx.saveDocument(now, { title, folder, content: text }, caller)
  await recordSaved(tx, caller, 'rollback', saved)
  return undefined
}

async function bringTodoListBack(
  tx: StoreOperations,
  caller: Caller,
  now: TodoListRecord | undefined,
  content: string | undefined,
): Promise<undefined> {
  if (content !== undefined)
    await saveTodoList(tx, caller, 'rollback', JSON.parse(content) as TodoListRecord, now)
  else if (now) await removeTodoList(tx, caller, now)
}
