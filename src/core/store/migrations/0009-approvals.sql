-- Calls of tools that a person decides about. One for each call: whoever goes on with a run finds the ask that was made.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  -- of a task: the session that started it, which is asked as well
  parent_id TEXT,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  tool_call_id TEXT NOT NULL,
  request TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  fallback TEXT NOT NULL CHECK (fallback IN ('allow', 'deny')),
  answer TEXT,
  decided_by TEXT,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  decided_at BIGINT,
  UNIQUE (run_id, tool_call_id)
);
CREATE INDEX approvals_newest ON approvals (scope, status, created_at, id);
CREATE INDEX approvals_of_session ON approvals (session_id);
CREATE INDEX approvals_of_parent ON approvals (parent_id) WHERE parent_id IS NOT NULL;

-- what is kept for some time only is found by that alone
CREATE INDEX audit_oldest ON audit (created_at);
