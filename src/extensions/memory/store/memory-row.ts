import type { Memory, MemorySource } from '../protocol/memory.ts'
import { toTimestamp } from '../../../core/protocol/names.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { toWords } from '../../../core/store/search-words.ts'
import type { MemoryRow } from './tables.ts'

/** What a change of a memory replaces. */
export type MemoryVersion = Pick<
  Memory,
  'text' | 'evidence' | 'author' | 'origin' | 'isEdited' | 'source'
> & { hash: string }

export interface StoredMemory extends Omit<Memory, 'canRestore'>, MemoryVersion {
  /** What it was before, oldest first. */
  history: MemoryVersion[]
}

export function fromMemoryRow(row: MemoryRow): StoredMemory {
  return {
    id: row.id,
    scope: row.scope,
    layer: row.layer,
    type: row.type,
    text: row.text,
    hash: row.hash,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.evidence !== null && { evidence: row.evidence }),
    source: sourceOf(row),
    author: row.author,
    origin: row.origin,
    isEdited: row.is_edited === 1,
    status: row.status,
    history: JSON.parse(row.history) as MemoryVersion[],
    refCount: row.ref_count,
    ...(row.last_used_at !== null && { lastUsedAt: toTimestamp(row.last_used_at) }),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

const sourceOf = (row: MemoryRow): MemorySource => ({
  ...(row.source_session_id !== null && { sessionId: row.source_session_id }),
  ...(row.source_message_id !== null && { messageId: row.source_message_id }),
  ...(row.source_seq !== null && { messageSeq: row.source_seq }),
  ...(row.source_from_seq !== null && { fromSeq: row.source_from_seq }),
  ...(row.source_run_id !== null && { runId: row.source_run_id }),
  ...(row.source_document_id !== null && { documentId: row.source_document_id }),
})

/** The columns of what a change replaces. */
export const toVersionColumns = ({
  text,
  hash,
  evidence,
  author,
  origin,
  isEdited,
  source,
}: MemoryVersion) => ({
  text,
  hash,
  evidence: evidence ?? null,
  author,
  origin,
  is_edited: isEdited ? 1 : 0,
  source_session_id: source.sessionId ?? null,
  source_message_id: source.messageId ?? null,
  source_run_id: source.runId ?? null,
  source_document_id: source.documentId ?? null,
  source_from_seq: source.fromSeq ?? null,
  source_seq: source.messageSeq ?? null,
})

export async function indexMemory({ db }: QueryContext, id: string, text: string): Promise<void> {
  await db.deleteFrom('memory_words').where('memory_id', '=', id).execute()
  const words = [...new Set(toWords(text))].map((word) => ({ memory_id: id, word }))
  if (words.length > 0) await db.insertInto('memory_words').values(words).execute()
}
