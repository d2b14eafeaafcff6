-- How often a step was stored again: at 0 its model call is counted, and never later.
ALTER TABLE run_steps ADD COLUMN rewrites BIGINT NOT NULL DEFAULT 0;

-- What models were asked and what it took, by day in UTC; no reference to sessions: what was spent stays spent.
CREATE TABLE usage_days (
  scope TEXT NOT NULL,
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  -- that of the run, or memo
  kind TEXT NOT NULL,
  calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cache_read_tokens BIGINT NOT NULL,
  -- of the calls whose model has a price; null when none has
  cost DOUBLE PRECISION,
  PRIMARY KEY (scope, day, model, kind)
);

-- The same for each session, as a running total.
CREATE TABLE session_usage (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  -- those that asked a model
  runs BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cache_read_tokens BIGINT NOT NULL,
  cost DOUBLE PRECISION,
  -- of the newest call of a run: how full the window was
  last_input_tokens BIGINT
);

-- The id of the first session of those that are variants of one another; that one may be gone.
ALTER TABLE sessions ADD COLUMN family TEXT;
-- only members are in it, so an append to any other session does not pay for it
CREATE INDEX sessions_of_family ON sessions (scope, family, updated_at, id) WHERE family IS NOT NULL;

-- with the parent, so that lists without child sessions pass over them within the index
DROP INDEX sessions_newest;
CREATE INDEX sessions_newest ON sessions (scope, updated_at, id, kind, parent_id);

CREATE INDEX audit_of_action ON audit (scope, action, created_at, id);
CREATE INDEX audit_of_actor ON audit (scope, actor_id, created_at, id);
