-- A run may go on for so long, counted from its first claim; deadline_at is what that came to.
ALTER TABLE runs ADD COLUMN timeout_ms BIGINT;
-- Waits for a task of its own, and holds no slot meanwhile.
ALTER TABLE runs ADD COLUMN is_waiting BIGINT NOT NULL DEFAULT 0;
-- Of a background run: the session whose tasks it counts among.
ALTER TABLE runs ADD COLUMN task_of TEXT;
CREATE INDEX runs_open_tasks ON runs (task_of, status) WHERE status IN ('queued', 'running') AND kind = 'background';

-- What a tree of runs may use, one row per run that has limits of its own; amounts of children are reserved in advance.
CREATE TABLE budgets (
  run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  -- the next run upwards that has a budget
  parent_id TEXT,
  max_tokens BIGINT,
  max_cost DOUBLE PRECISION,
  max_tasks BIGINT,
  used_tokens BIGINT NOT NULL DEFAULT 0,
  used_cost DOUBLE PRECISION NOT NULL DEFAULT 0,
  used_tasks BIGINT NOT NULL DEFAULT 0,
  reserved_tokens BIGINT NOT NULL DEFAULT 0,
  reserved_cost DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- What happened in a scope, in the order it was committed: the number is taken under the row of the scope.
ALTER TABLE scopes ADD COLUMN event_seq BIGINT NOT NULL DEFAULT 0;
CREATE TABLE events (
  scope TEXT NOT NULL,
  seq BIGINT NOT NULL,
  type TEXT NOT NULL,
  session_id TEXT,
  data TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, seq)
);
CREATE INDEX events_by_age ON events (created_at);
