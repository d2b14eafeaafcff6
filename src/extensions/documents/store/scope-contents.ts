import type { TodoItem } from '../protocol/todo.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'

/** The contents of a scope as prompts show them: the latest changes first, and whether there is more. */
export interface ScopeContents {
  documents: { id: string; title: string; folder: string }[]
  lists: { id: string; title: string; folder: string; open: number; done: number }[]
  /** Those of the lists that are not done, in the order of their lists. */
  items: { listId: string; title: string; status: TodoItem['status'] }[]
}

export interface ScopeContentLimits {
  documents: number
  lists: number
  items: number
}

export interface ScopeContentQueries {
  /** One statement. */
  readScopeContents(scope: string, limits: ScopeContentLimits): Promise<ScopeContents>
}

export const scopeContentQueries = (context: QueryContext): ScopeContentQueries => ({
  async readScopeContents(scope, { documents, lists, items }) {
    const rows = await selectView(context, [scope, documents, scope, lists, scope, lists, items])
    const of = (kind: ViewRow['kind']) => rows.filter((row) => row.kind === kind)
    return {
      documents: of('document').map(({ id, title, more }) => ({ id, title, folder: more ?? '' })),
      lists: of('list').map(({ id, title, more, open, done }) => ({
        id,
        title,
        folder: more ?? '',
        open,
        done,
      })),
      items: of('item').map(({ id, title, more }) => ({
        listId: id,
        title,
        status: more as TodoItem['status'],
      })),
    }
  },
})

interface ViewRow {
  kind: 'document' | 'list' | 'item'
  id: string
  title: string
  more: string | null
  open: number
  done: number
}

const newestLists = `from todo_lists where scope = ? order by updated_at desc, id desc limit ?`
const selectView = statement<ViewRow>(`
  select * from (
    select 'document' as kind, id, title, folder as more, 0 as open, 0 as done from documents
    where scope = ? and deleted_at is null order by updated_at desc, id desc limit ?
  ) as newest_documents
  union all
  select * from (
    select 'list' as kind, id, title, folder as more,
      (select count(*) from todo_items where list_id = todo_lists.id and status <> 'done') as open,
      (select count(*) from todo_items where list_id = todo_lists.id and status = 'done') as done
    ${newestLists}
  ) as newest_lists
  union all
  select * from (
    select 'item' as kind, list_id as id, title, status as more, 0 as open, 0 as done from todo_items
    where status <> 'done' and list_id in (select id from (select id ${newestLists}) as shown_lists)
    order by list_id, position limit ?
  ) as open_items
`)
