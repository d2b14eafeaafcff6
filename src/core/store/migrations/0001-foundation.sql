-- Times are milliseconds since the epoch. JSON is kept as text, so that what was stored comes back byte for byte.

CREATE TABLE scopes (
  name TEXT PRIMARY KEY,
  root TEXT,
  created_at BIGINT NOT NULL
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  kind TEXT NOT NULL DEFAULT 'interactive' CHECK (kind IN ('interactive', 'background', 'tool')),
  title TEXT NOT NULL DEFAULT '',
  chat_status TEXT NOT NULL DEFAULT 'idle' CHECK (chat_status IN ('idle', 'chatting')),
  bg_status TEXT CHECK (bg_status IN ('pending', 'running', 'completed', 'failed', 'timeout', 'cancelled', 'interrupted')),
  mode TEXT,
  parent_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  facets TEXT NOT NULL DEFAULT '{}',
  last_seq BIGINT NOT NULL DEFAULT 0,
  -- messages up to here are in the search index; the rest is caught up in the background and before a search
  indexed_seq BIGINT NOT NULL DEFAULT 0,
  archived_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
-- one index for all lists: each append moves the session in it, and a second one would cost each append again
CREATE INDEX sessions_newest ON sessions (scope, updated_at, id, kind);
CREATE INDEX sessions_of_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_to_index ON sessions (scope) WHERE indexed_seq < last_seq;

CREATE TABLE messages (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  parts TEXT NOT NULL,
  metadata TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, seq),
  UNIQUE (session_id, id)
);

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'running', 'completed', 'failed', 'timeout', 'cancelled', 'interrupted')),
  parent_id TEXT REFERENCES runs (id) ON DELETE SET NULL,
  depth BIGINT NOT NULL DEFAULT 0,
  -- queued runs of a session go by this first: what interrupts comes before what merely waits
  priority BIGINT NOT NULL DEFAULT 0,
  attempt BIGINT NOT NULL DEFAULT 0,
  lease_owner TEXT,
  lease_until BIGINT,
  -- the fencing token: grows with every claim, and a write that carries an older one is refused
  fence BIGINT NOT NULL DEFAULT 0,
  -- asked for by somebody who may not be the owner; the owner obeys at its next heartbeat at the latest
  stop_reason TEXT,
  deadline_at BIGINT,
  input TEXT NOT NULL,
  budget TEXT,
  outcome TEXT,
  usage TEXT,
  last_event_seq BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT
);
CREATE INDEX runs_of_session ON runs (session_id, created_at, id);
CREATE INDEX runs_of_parent ON runs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX runs_newest ON runs (scope, created_at, id);
CREATE INDEX runs_open ON runs (status, created_at, id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_open_of_session ON runs (session_id, created_at, id) WHERE status IN ('queued', 'running');
-- one writer per session, whatever the code believes
CREATE UNIQUE INDEX runs_one_running ON runs (session_id) WHERE status = 'running';

-- One row holds the events first_seq to seq, in order; numbers may be skipped after a crash, never used twice.
CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  events TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, seq)
);

CREATE TABLE inbox (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- what makes a second delivery of the same thing a no-op, e.g. the id of the run that finished
  dedupe_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  taken_at BIGINT,
  UNIQUE (session_id, dedupe_key)
);
CREATE INDEX inbox_waiting ON inbox (session_id, created_at, id) WHERE taken_at IS NULL;

CREATE TABLE checkpoints (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  message_seq BIGINT NOT NULL,
  user_message TEXT NOT NULL,
  completed BIGINT NOT NULL DEFAULT 0,
  file_changes TEXT NOT NULL DEFAULT '[]',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, id)
);
CREATE INDEX checkpoints_in_order ON checkpoints (session_id, message_seq, id);

CREATE TABLE settings (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (scope, key)
);

-- No reference to sessions: the record of what was done outlives the thing it was done to.
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  action TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  session_id TEXT,
  result TEXT NOT NULL CHECK (result IN ('success', 'error', 'denied')),
  detail TEXT NOT NULL DEFAULT '{}',
  created_at BIGINT NOT NULL
);
CREATE INDEX audit_newest ON audit (scope, created_at, id);
CREATE INDEX audit_of_session ON audit (session_id, created_at, id) WHERE session_id IS NOT NULL;

CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
