-- Sessions that belong together.
CREATE TABLE threads (
  scope TEXT NOT NULL REFERENCES scopes (name),
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  archived_at BIGINT,
  archived_by TEXT,
  archive_reason TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (scope, slug)
);
ALTER TABLE sessions ADD COLUMN thread TEXT;
CREATE INDEX sessions_of_thread ON sessions (scope, thread, updated_at, id) WHERE thread IS NOT NULL;
