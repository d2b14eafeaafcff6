import { sql } from 'kysely'
import { notFound } from '../../../core/protocol/error.ts'
import type { TodoItem } from '../protocol/todo.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { TodoItemRow, TodoListRow } from './tables.ts'
import { toWordText, wordPatterns } from '../../../core/store/search-words.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

/** A todo list as it is stored, its items in their order; times are milliseconds. */
export interface TodoListRecord {
  id: string
  scope: string
  title: string
  folder: string
  items: TodoItemRecord[]
  createdAt: number
  updatedAt: number
}

export type TodoItemRecord = Pick<TodoItem, 'id' | 'title' | 'description' | 'status'> & {
  createdAt: number
  updatedAt: number
}

export type TodoCounts = Record<TodoItem['status'], number>
export type TodoListHead = Omit<TodoListRecord, 'items'> & { counts: TodoCounts }

/** Missing fields of an item are filled in when it is stored. */
export type TodoListInput = Pick<TodoListRecord, 'scope' | 'title' | 'folder'> & {
  id?: string
  createdAt?: number
  items: (Omit<TodoItemRecord, 'id' | 'createdAt' | 'updatedAt'> & Partial<TodoItemRecord>)[]
}

export interface TodoQueries {
  getTodoList(scope: string, id: string): Promise<TodoListRecord | undefined>
  /** Throws `not_found` when the scope has no such list. */
  requireTodoList(scope: string, id: string): Promise<TodoListRecord>
  /** Keeps others from changing or locking it until the transaction ends. */
  lockTodoList(scope: string, id: string): Promise<TodoListRecord | undefined>
  /** The list with this title that was changed last, kept from others in the same way. */
  lockTodoListTitled(scope: string, title: string): Promise<TodoListRecord | undefined>
  /** What was changed last comes first. */
  listTodoLists(scope: string, page: { limit: number; cursor?: string }): Promise<Page<TodoListHead>>
  /** Writes the whole list, new or not, with its items in this order. */
  putTodoList(list: TodoListInput): Promise<TodoListRecord>
  deleteTodoList(scope: string, id: string): Promise<void>
  /** Lists whose title and items hold all the words, what was changed last first. */
  searchTodoLists(scope: string, query: { text: string; limit: number }): Promise<TodoListRecord[]>
}

export function todoQueries(context: QueryContext): TodoQueries {
  const { db, backend, clock, ids } = context

  const withItems = async (row: TodoListRow): Promise<TodoListRecord> => ({
    id: row.id,
    scope: row.scope,
    title: row.title,
    folder: row.folder,
    items: (await selectItems(context, [row.id])).map(toItem),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  })

  const getTodoList: TodoQueries['getTodoList'] = async (scope, id) => {
    const [row] = await selectOne(context, [id, scope])
    return row && withItems(row)
  }

  return {
    getTodoList,

    async requireTodoList(scope, id) {
      const list = await getTodoList(scope, id)
      if (!list) throw notFound('todo list', id)
      return list
    },

    async lockTodoList(scope, id) {
      const query = sql<TodoListRow>`
        select * from todo_lists where id = ${id} and scope = ${scope} ${backend.forUpdate}`
      const [row] = (await query.execute(db)).rows
      return row && withItems(row)
    },

    async lockTodoListTitled(scope, title) {
      const query = sql<TodoListRow>`
        select * from todo_lists where scope = ${scope} and title = ${title}
        order by updated_at desc, id desc limit 1 ${backend.forUpdate}`
      const [row] = (await query.execute(db)).rows
      return row && withItems(row)
    },

    async listTodoLists(scope, { limit, cursor }) {
      const rows = await db
        .selectFrom('todo_lists')
        .select(['id', 'scope', 'title', 'folder', 'created_at', 'updated_at'])
        .where('scope', '=', scope)
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const counts = await countItems(rows.map(({ id }) => id))
      return toPage(
        rows,
        limit,
        (row) => row.updated_at,
        ({ created_at: createdAt, updated_at: updatedAt, ...row }) => ({
          ...row,
          counts: counts.get(row.id) ?? { todo: 0, doing: 0, done: 0 },
          createdAt,
          updatedAt,
        }),
      )
    },

    putTodoList: (list) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const items = list.items.map((item): TodoItemRecord => ({
          ...item,
          id: item.id ?? ids.next('tdi'),
          createdAt: item.createdAt ?? now,
          updatedAt: item.updatedAt ?? now,
        }))
        const row: TodoListRow = {
          id: list.id ?? ids.next('tdl'),
          scope: list.scope,
          title: list.title,
          folder: list.folder,
          words: toWordText(list.title, ...items.flatMap(({ title, description }) => [title, description])),
          created_at: list.createdAt ?? now,
          updated_at: now,
        }
        const { id, scope: _scope, created_at: _created, ...columns } = row
        await tx.db
          .insertInto('todo_lists')
          .values(row)
          .onConflict((oc) => oc.column('id').doUpdateSet(columns))
          .execute()
        await deleteItems(tx, [id])
        if (items.length > 0)
          await tx.db
            .insertInto('todo_items')
            .values(items.map((item, position) => toItemRow(id, position, item)))
            .execute()
        const { scope, title, folder } = list
        return { id, scope, title, folder, items, createdAt: row.created_at, updatedAt: now }
      }),

    async deleteTodoList(scope, id) {
      const [row] = await deleteOne(context, [id, scope])
      if (!row) throw notFound('todo list', id)
    },

    async searchTodoLists(scope, { text, limit }) {
      const rows = await db
        .selectFrom('todo_lists')
        .selectAll()
        .where('scope', '=', scope)
        .where(({ and, eb }) => and(wordPatterns(text).map((pattern) => eb('words', 'like', pattern))))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return Promise.all(rows.map(withItems))
    },
  }

  async function countItems(listIds: string[]): Promise<Map<string, TodoCounts>> {
    const counts = new Map<string, TodoCounts>(listIds.map((id) => [id, { todo: 0, doing: 0, done: 0 }]))
    if (listIds.length === 0) return counts
    const rows = await db
      .selectFrom('todo_items')
      .select(({ fn }) => ['list_id', 'status', fn.countAll<number>().as('count')])
      .where('list_id', 'in', listIds)
      .groupBy(['list_id', 'status'])
      .execute()
    for (const row of rows) counts.get(row.list_id)![row.status] = Number(row.count)
    return counts
  }
}

const toItem = (row: TodoItemRow): TodoItemRecord => ({
  id: row.id,
  title: row.title,
  description: row.description,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toItemRow = (
  listId: string,
  position: number,
  { id, title, description, status, createdAt, updatedAt }: TodoItemRecord,
): TodoItemRow => ({
  list_id: listId,
  id,
  position,
  title,
  description,
  status,
  created_at: createdAt,
  updated_at: updatedAt,
})

const selectOne = statement<TodoListRow>(`select * from todo_lists where id = ? and scope = ?`)
const selectItems = statement<TodoItemRow>(`select * from todo_items where list_id = ? order by position`)
const deleteItems = statement(`delete from todo_items where list_id = ?`)
const deleteOne = statement<{ id: string }>(`delete from todo_lists where id = ? and scope = ? returning id`)
