export interface MemoryTables {
  memories: MemoryRow
  memory_words: { memory_id: string; word: string }
  memory_vectors: { memory_id: string; model: string; hash: string; vector: string }
  memory_uses: { run_id: string; memory_id: string; session_id: string; message_id: string; position: number }
  memory_cursors: { session_id: string; narrative_seq: number }
}

export interface MemoryRow {
  id: string
  scope: string
  layer: 'user' | 'scope' | 'session'
  type: 'profile' | 'narrative' | 'foresight' | 'document' | 'event_log'
  session_id: string | null
  text: string
  hash: string
  evidence: string | null
  author: 'model' | 'user'
  origin: 'user' | 'assistant'
  is_edited: number
  status: 'active' | 'deleted'
  history: string
  source_session_id: string | null
  source_message_id: string | null
  source_run_id: string | null
  source_document_id: string | null
  source_from_seq: number | null
  source_seq: number | null
  ref_count: number
  last_used_at: number | null
  created_at: number
  updated_at: number
}
