import { invalidRequest, notFound } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import {
  maxTodoItems,
  type CreateTodoList,
  type NewTodoItem,
  type TodoList,
  type TodoListQuery,
  type TodoPage,
  type UpdateTodoItem,
  type UpdateTodoList,
} from './protocol/todo.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { TodoItemRecord, TodoListInput, TodoListRecord } from './store/todos.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { audit, type DocumentCaller } from './document-caller.ts'
import { dropLock, requireWritable } from './locks.ts'

/** `id` is for those who must be able to ask twice. */
export function createTodoList(
  store: StoreOperations,
  caller: DocumentCaller,
  { title, folder = '', items = [] }: Omit<CreateTodoList, 'scope'>,
  id?: string,
): Promise<TodoList> {
  return store.transaction(async (tx) => {
    const { scope } = caller
    await tx.ensureScope(scope)
    return saveTodoList(tx, caller, 'create', { id, scope, title, folder, items: items.map(toNewItem) })
  })
}

export async function getTodoList(
  store: StoreOperations,
  { scope }: DocumentCaller,
  id: string,
): Promise<TodoList> {
  return toTodoList(await store.requireTodoList(scope, id))
}

export async function listTodoLists(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: DocumentCaller,
  { limit, cursor }: TodoListQuery,
): Promise<TodoPage> {
  const page = await store.listTodoLists(scope, { limit: requireLimit(limits, limit), cursor })
  return {
    ...page,
    items: page.items.map(({ createdAt, updatedAt, ...head }) => ({
      ...head,
      createdAt: toTimestamp(createdAt),
      updatedAt: toTimestamp(updatedAt),
    })),
  }
}

export const updateTodoList = (
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  { title, folder }: Omit<UpdateTodoList, 'scope'>,
): Promise<TodoList> =>
  change(store, caller, id, (list) => ({
    ...list,
    title: title ?? list.title,
    folder: folder ?? list.folder,
  }))

export const addTodoItems = (
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  items: readonly NewTodoItem[],
): Promise<TodoList> =>
  change(store, caller, id, (list) => ({ ...list, items: [...list.items, ...items.map(toNewItem)] }))

/** A position moves the item there; the others close up. */
export const updateTodoItem = (
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  itemId: string,
  { title, description, status, position }: Omit<UpdateTodoItem, 'scope'>,
): Promise<TodoList> =>
  change(store, caller, id, (list) => {
    const before = requireItem(list, itemId)
    const item = {
      ...before,
      title: title ?? before.title,
      description: description ?? before.description,
      status: status ?? before.status,
      updatedAt: undefined,
    }
    const others: TodoListInput['items'] = list.items.filter((other) => other !== before)
    return { ...list, items: others.toSpliced(position ?? list.items.indexOf(before), 0, item) }
  })

export const deleteTodoItem = (
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  itemId: string,
): Promise<TodoList> =>
  change(store, caller, id, (list) => {
    const item = requireItem(list, itemId)
    return { ...list, items: list.items.filter((other) => other !== item) }
  })

export function deleteTodoList(store: StoreOperations, caller: DocumentCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const list = await requireLocked(tx, caller.scope, id)
    await requireWritable(tx, caller, { type: 'todo_list', id })
    await removeTodoList(tx, caller, list)
  })
}

/** Without checking locks: the caller has done so. */
export async function removeTodoList(
  tx: StoreOperations,
  caller: DocumentCaller,
  list: TodoListRecord,
): Promise<void> {
  await tx.deleteTodoList(caller.scope, list.id)
  await dropLock(tx, caller, { type: 'todo_list', id: list.id })
  await recordChange(tx, caller, 'delete', list)
}

/** Replaces a list, and returns the items that became done by it. */
export async function saveTodoList(
  tx: StoreOperations,
  caller: DocumentCaller,
  action: 'create' | 'update' | 'rollback',
  list: TodoListInput,
  before?: TodoListRecord,
): Promise<TodoList> {
  if (list.items.length > maxTodoItems)
    throw invalidRequest(`A todo list holds at most ${maxTodoItems} items; begin another one.`)
  const stored = await tx.putTodoList(list)
  const wasDone = new Set(before?.items.filter(({ status }) => status === 'done').map(({ id }) => id))
  const completed = stored.items.filter(({ id, status }) => status === 'done' && !wasDone.has(id))
  // an undo restores items that were done before; their event was recorded then
  await recordChange(tx, caller, action, stored, action === 'rollback' ? [] : completed)
  return toTodoList(stored)
}

function change(
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  work: (list: TodoListRecord) => TodoListInput,
): Promise<TodoList> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    await requireWritable(tx, caller, { type: 'todo_list', id })
    return saveTodoList(tx, caller, 'update', work(before), before)
  })
}

async function requireLocked(tx: StoreOperations, scope: string, id: string): Promise<TodoListRecord> {
  const list = await tx.lockTodoList(scope, id)
  if (!list) throw notFound('todo list', id)
  return list
}

function requireItem({ items }: TodoListRecord, itemId: string): TodoItemRecord {
  const item = items.find(({ id }) => id === itemId)
  if (!item) throw notFound('todo item', itemId)
  return item
}

/** The event last: others wait for the row of the scope. */
async function recordChange(
  tx: StoreOperations,
  caller: DocumentCaller,
  action: 'create' | 'update' | 'delete' | 'rollback',
  { id, title, folder }: TodoListRecord,
  completed: readonly TodoItemRecord[] = [],
): Promise<void> {
  await audit(tx, caller, action, { type: 'todo_list', id }, { title })
  await tx.recordEvent(caller.scope, {
    type: 'todo-changed',
    sessionId: caller.sessionId,
    data: {
      listId: id,
      title,
      folder,
      action,
      completed: completed.map((item) => ({ id: item.id, title: item.title })),
    },
  })
}

const toNewItem = ({ title, description = '', status = 'todo' as const }: NewTodoItem) => ({
  title,
  description,
  status,
})

function toTodoList({ createdAt, updatedAt, items, ...head }: TodoListRecord): TodoList {
  const counts = { todo: 0, doing: 0, done: 0 }
  for (const { status } of items) counts[status]++
  return {
    ...head,
    counts,
    items: items.map((item, position) => ({
      id: item.id,
      title: item.title,
      description: item.description,
      status: item.status,
      position,
      createdAt: toTimestamp(item.createdAt),
      updatedAt: toTimestamp(item.updatedAt),
    })),
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  }
}
