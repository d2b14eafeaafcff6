export interface KnowledgeTables {
  knowledge_graphs: { scope: string; changed_at: number }
  knowledge_sources: KnowledgeSourceRow
  knowledge_parts: KnowledgePartRow
  knowledge_entities: KnowledgeEntityRow
  knowledge_mentions: {
    source_id: string
    entity_id: string
    name: string
    type: string
    description: string
  }
  knowledge_relations: KnowledgeRelationRow
  knowledge_entity_words: { entity_id: string; word: string; scope: string; size: number }
  knowledge_relation_words: { relation_id: string; word: string; scope: string; size: number }
  knowledge_vectors: { entity_id: string; model: string; hash: string; vector: string }
}

export interface KnowledgeSourceRow {
  id: string
  scope: string
  name: string
  kind: 'document' | 'import'
  status: 'pending' | 'running' | 'done' | 'failed'
  reason: string | null
  version: number
  read_version: number
  model: string | null
  relation_count: number
  created_at: number
  updated_at: number
}

export interface KnowledgePartRow {
  source_id: string
  number: number
  scope: string
  status: 'pending' | 'running' | 'done' | 'failed'
  session_id: string | null
  run_id: string | null
  triples: string | null
  error: string | null
  queued_at: number
}

export interface KnowledgeEntityRow {
  id: string
  scope: string
  key: string
  name: string
  type: string
  description: string
}

export interface KnowledgeRelationRow {
  id: string
  scope: string
  source_id: string
  subject_id: string
  predicate: string
  object_id: string
  evidence: string
  weight: number
  created_at: number
}
