-- Texts of a scope that people and models write together; a deleted one is kept, so that it can be brought back.
CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  title TEXT NOT NULL,
  folder TEXT NOT NULL,
  -- the newest one, which content is of; never used twice
  version BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  -- of title and content in their order, each between blanks: what a search looks at
  words TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX documents_newest ON documents (scope, updated_at, id) WHERE deleted_at IS NULL;

CREATE TABLE document_versions (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  title TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  -- who wrote it; no reference: sessions go, versions stay
  author_type TEXT NOT NULL,
  author_id TEXT NOT NULL,
  session_id TEXT,
  created_at BIGINT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (document_id, version)
);

CREATE TABLE todo_lists (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  title TEXT NOT NULL,
  folder TEXT NOT NULL,
  words TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX todo_lists_newest ON todo_lists (scope, updated_at, id);

CREATE TABLE todo_items (
  list_id TEXT NOT NULL REFERENCES todo_lists (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position BIGINT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('todo', 'doing', 'done')),
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (list_id, id)
);

-- One row for each thing that was ever locked: its fence only grows, also while nobody holds it.
CREATE TABLE locks (
  resource_type TEXT NOT NULL CHECK (resource_type IN ('document', 'todo_list')),
  resource_id TEXT NOT NULL,
  scope TEXT NOT NULL REFERENCES scopes (name),
  fence BIGINT NOT NULL,
  PRIMARY KEY (resource_type, resource_id)
);

-- Who took a lock and did not give it back. It holds the lock while its fence is the newest and its time is not over;
-- with an older fence it must not write any more.
CREATE TABLE lock_holds (
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  fence BIGINT NOT NULL,
  reason TEXT,
  acquired_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (resource_type, resource_id, session_id),
  FOREIGN KEY (resource_type, resource_id) REFERENCES locks (resource_type, resource_id) ON DELETE CASCADE
);
CREATE INDEX lock_holds_of_session ON lock_holds (session_id);
