export interface DocumentTables {
  documents: DocumentRow
  document_versions: DocumentVersionRow
  todo_lists: TodoListRow
  todo_items: TodoItemRow
}

export interface DocumentRow {
  id: string
  scope: string
  title: string
  folder: string
  version: number
  bytes: number
  created_at: number
  updated_at: number
  deleted_at: number | null
  words: string
  content: string
  learned_version: number
  learn_failures: number
}

export interface DocumentVersionRow {
  document_id: string
  version: number
  title: string
  bytes: number
  author_type: 'user' | 'agent' | 'system'
  author_id: string
  session_id: string | null
  created_at: number
  content: string
}

export interface TodoListRow {
  id: string
  scope: string
  title: string
  folder: string
  words: string
  created_at: number
  updated_at: number
}

export interface TodoItemRow {
  list_id: string
  id: string
  position: number
  title: string
  description: string
  status: 'todo' | 'doing' | 'done'
  created_at: number
  updated_at: number
}
