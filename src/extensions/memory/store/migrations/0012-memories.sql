-- What is remembered beyond the log. A deleted one stays as a row, so that the same is not learned again.
CREATE TABLE memories (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  layer TEXT NOT NULL CHECK (layer IN ('user', 'scope', 'session')),
  type TEXT NOT NULL CHECK (type IN ('profile', 'narrative', 'foresight', 'document', 'event_log')),
  -- of layer session: the one that it is about, and ends with
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  -- of the words of the text
  hash TEXT NOT NULL,
  -- the passage that it was made of, word for word
  evidence TEXT,
  author TEXT NOT NULL CHECK (author IN ('model', 'user')),
  -- whose words it comes from
  origin TEXT NOT NULL CHECK (origin IN ('user', 'assistant')),
  -- 1 when a person has changed it: no model does after that
  is_edited BIGINT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'deleted')),
  -- what it was before, oldest first
  history TEXT NOT NULL,
  -- where it comes from; no references: it may outlive them
  source_session_id TEXT,
  source_message_id TEXT,
  source_run_id TEXT,
  source_document_id TEXT,
  -- the stretch of the log
  source_from_seq BIGINT,
  source_seq BIGINT,
  ref_count BIGINT NOT NULL,
  last_used_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX memories_once ON memories (scope, layer, coalesce(session_id, ''), hash);
CREATE INDEX memories_newest ON memories (scope, status, created_at, id);
CREATE INDEX memories_of_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_from_session ON memories (source_session_id, source_seq) WHERE source_session_id IS NOT NULL;
CREATE INDEX memories_from_message ON memories (source_message_id) WHERE source_message_id IS NOT NULL;
CREATE INDEX memories_from_document ON memories (source_document_id) WHERE source_document_id IS NOT NULL;

-- What a memory is found by.
CREATE TABLE memory_words (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  word TEXT NOT NULL,
  PRIMARY KEY (memory_id, word)
);
CREATE INDEX memory_words_by_word ON memory_words (word, memory_id);

-- The same as numbers, for those who have an embedding model.
CREATE TABLE memory_vectors (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  -- of the text that was embedded
  hash TEXT NOT NULL,
  vector TEXT NOT NULL
);

-- Which memories a turn was given.
CREATE TABLE memory_uses (
  run_id TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  -- its place in the prompt
  position BIGINT NOT NULL,
  PRIMARY KEY (run_id, memory_id)
);
CREATE INDEX memory_uses_of_message ON memory_uses (message_id);
CREATE INDEX memory_uses_of_memory ON memory_uses (memory_id);
CREATE INDEX memory_uses_of_session ON memory_uses (session_id);

-- How far the log of a session was summed up.
CREATE TABLE memory_cursors (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  narrative_seq BIGINT NOT NULL
);
