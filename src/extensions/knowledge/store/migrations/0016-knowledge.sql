-- What a scope knows of things and how they hang together. Whoever changes it holds this row.
CREATE TABLE knowledge_graphs (
  scope TEXT PRIMARY KEY REFERENCES scopes (name),
  changed_at BIGINT NOT NULL
);

-- Where it comes from: a document that was read, or an import. What a source said goes with it.
CREATE TABLE knowledge_sources (
  -- made of scope and name, so that what is known does not depend on the order in which it came
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  -- of a document, its id
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'import')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
  reason TEXT,
  -- of a document: the version that its relations are of, and the one that is read or was read last; 0 is none
  version BIGINT NOT NULL,
  read_version BIGINT NOT NULL,
  model TEXT,
  relation_count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX knowledge_sources_by_name ON knowledge_sources (scope, name);
CREATE INDEX knowledge_sources_newest ON knowledge_sources (scope, updated_at, id);
CREATE INDEX knowledge_sources_by_status ON knowledge_sources (status, scope, updated_at, id);

-- The pieces of a document that is read, each by a session of its own. Gone when all of them are taken in.
CREATE TABLE knowledge_parts (
  source_id TEXT NOT NULL REFERENCES knowledge_sources (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
  session_id TEXT,
  run_id TEXT,
  -- what it was found to say
  triples TEXT,
  error TEXT,
  queued_at BIGINT NOT NULL,
  PRIMARY KEY (source_id, number)
);
CREATE INDEX knowledge_parts_by_status ON knowledge_parts (scope, status, queued_at, source_id, number);
CREATE UNIQUE INDEX knowledge_parts_of_run ON knowledge_parts (run_id) WHERE run_id IS NOT NULL;

-- Things that sources speak of. The key is the name without what does not matter; the id is made of scope and key.
CREATE TABLE knowledge_entities (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  description TEXT NOT NULL
);
CREATE UNIQUE INDEX knowledge_entities_by_key ON knowledge_entities (scope, key);

-- What each source calls them. What an entity is called is made of these; without any it is gone.
CREATE TABLE knowledge_mentions (
  source_id TEXT NOT NULL REFERENCES knowledge_sources (id) ON DELETE CASCADE,
  entity_id TEXT NOT NULL REFERENCES knowledge_entities (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (source_id, entity_id)
);
CREATE INDEX knowledge_mentions_of_entity ON knowledge_mentions (entity_id);

-- Subject, predicate, object. The id is made of these and the source: what a source says twice is one row.
CREATE TABLE knowledge_relations (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  source_id TEXT NOT NULL REFERENCES knowledge_sources (id) ON DELETE CASCADE,
  subject_id TEXT NOT NULL REFERENCES knowledge_entities (id) ON DELETE CASCADE,
  predicate TEXT NOT NULL,
  object_id TEXT NOT NULL REFERENCES knowledge_entities (id) ON DELETE CASCADE,
  -- the passage that says so
  evidence TEXT NOT NULL,
  -- how sure whoever said it was, up to 1
  weight DOUBLE PRECISION NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX knowledge_relations_of_source ON knowledge_relations (source_id);
CREATE INDEX knowledge_relations_by_subject ON knowledge_relations (subject_id, weight, id);
CREATE INDEX knowledge_relations_by_object ON knowledge_relations (object_id, weight, id);
CREATE INDEX knowledge_relations_between ON knowledge_relations (subject_id, object_id, id);

-- What entities and relations are found by. The size is how many words each has: the fewer, the more one of them says.
CREATE TABLE knowledge_entity_words (
  entity_id TEXT NOT NULL REFERENCES knowledge_entities (id) ON DELETE CASCADE,
  word TEXT NOT NULL,
  scope TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (entity_id, word)
);
CREATE INDEX knowledge_entity_words_by_word ON knowledge_entity_words (scope, word, size, entity_id);

CREATE TABLE knowledge_relation_words (
  relation_id TEXT NOT NULL REFERENCES knowledge_relations (id) ON DELETE CASCADE,
  word TEXT NOT NULL,
  scope TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (relation_id, word)
);
CREATE INDEX knowledge_relation_words_by_word ON knowledge_relation_words (scope, word, size, relation_id);

-- Entities as numbers, for those who have an embedding model.
CREATE TABLE knowledge_vectors (
  entity_id TEXT PRIMARY KEY REFERENCES knowledge_entities (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  -- of the text that was embedded
  hash TEXT NOT NULL,
  vector TEXT NOT NULL
);
