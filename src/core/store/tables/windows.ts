export interface WindowTables {
  memo_versions: MemoVersionRow
  resizes: ResizeRow
}

export interface MemoVersionRow {
  session_id: string
  version: number
  memo: string
  pinned: string
  through_seq: number
  author: 'model' | 'handler' | 'user' | 'undo' | 'import'
  model: string | null
  from_seq: number | null
  to_seq: number | null
  size_before: number
  size_after: number
  created_at: number
}

export interface ResizeRow {
  session_id: string
  number: number
  type: string
  reason: string
  severity: number
  outcome: 'resized' | 'unchanged' | 'failed'
  message: string | null
  before_messages: number
  before_chars: number
  after_messages: number
  after_chars: number
  start_seq: number
  memo_version: number | null
  usage: string | null
  created_at: number
}
