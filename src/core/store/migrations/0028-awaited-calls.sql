-- Calls of tools whose results come from outside of the turn. One for each call: whoever continues a run finds the row that
-- was made. What was answered is in the message once the run has ended.
CREATE TABLE awaited_calls (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  call_key TEXT NOT NULL,
  call TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'answered', 'expired', 'cancelled')),
  answer TEXT,
  answered_by TEXT,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  settled_at BIGINT,
  UNIQUE (run_id, call_key)
);
CREATE INDEX awaited_calls_newest ON awaited_calls (scope, status, created_at, id);
CREATE INDEX awaited_calls_of_session ON awaited_calls (session_id);
