import type { StoreOperations } from '../../core/store/store.ts'
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
