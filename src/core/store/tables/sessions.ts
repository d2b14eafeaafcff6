export interface SessionTables {
  sessions: SessionRow
  messages: MessageRow
  threads: ThreadRow
  search_documents: { id: number; session_id: string; seq: number }
  prompt_epochs: {
    session_id: string
    epoch: number
    system: string
    fragments: string
    sources: string
    sent: string
    window_start: number
    created_at: number
  }
  checkpoints: {
    session_id: string
    id: string
    message_seq: number
    user_message: string
    completed: number
    file_changes: string
    created_at: number
  }
  inbox: {
    id: string
    session_id: string
    kind: string
    dedupe_key: string
    payload: string
    created_at: number
    taken_at: number | null
  }
}

export interface SessionRow {
  id: string
  scope: string
  kind: 'interactive' | 'background' | 'tool'
  title: string
  chat_status: 'idle' | 'chatting'
  bg_status: BgStatusColumn | null
  mode: string | null
  parent_id: string | null
  family: string | null
  thread: string | null
  facets: string
  last_seq: number
  indexed_seq: number
  window_start: number
  resized_seq: number
  window_stopped: string | null
  memo_version: number
  log_version: number
  usage_runs: number
  usage_calls: number
  usage_input_tokens: number
  usage_output_tokens: number
  usage_cache_read_tokens: number
  usage_cost: number | null
  usage_last_input_tokens: number | null
  archived_at: number | null
  created_at: number
  updated_at: number
}

type BgStatusColumn = 'pending' | 'running' | 'completed' | 'failed' | 'timeout' | 'cancelled' | 'interrupted'

export interface MessageRow {
  session_id: string
  seq: number
  id: string
  role: 'user' | 'assistant' | 'system'
  parts: string
  metadata: string | null
  context: string | null
  created_at: number
}

export interface ThreadRow {
  scope: string
  slug: string
  title: string
  archived_at: number | null
  archived_by: string | null
  archive_reason: string | null
  created_at: number
  updated_at: number
}
