-- Definitions, each with every text that was ever saved.
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  name TEXT NOT NULL,
  version BIGINT NOT NULL,
  -- what lists show of the text
  facts TEXT NOT NULL,
  text TEXT NOT NULL,
  -- the file that it is kept in step with, and the hash of what was last read from or written to it
  file TEXT,
  file_hash TEXT,
  file_problem TEXT,
  management_session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (scope, name)
);
CREATE INDEX workflows_newest ON workflows (scope, updated_at, id);
CREATE UNIQUE INDEX workflows_of_management ON workflows (management_session_id) WHERE management_session_id IS NOT NULL;

CREATE TABLE workflow_versions (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('create', 'update', 'rollback', 'file')),
  author TEXT NOT NULL,
  session_id TEXT,
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workflow_id, version)
);

-- What a run of the ledger is, beside being a run.
CREATE TABLE workflow_runs (
  run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL,
  -- no reference: a run outlives its definition
  workflow_id TEXT,
  version BIGINT,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  source_id TEXT,
  parent_run_id TEXT,
  parent_path TEXT,
  rerun_of TEXT,
  -- the session that is told of the end
  deliver_to TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX workflow_runs_newest ON workflow_runs (scope, created_at, run_id);
CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow_id, created_at, run_id) WHERE workflow_id IS NOT NULL;
CREATE INDEX workflow_runs_of_session ON workflow_runs (session_id);
CREATE INDEX workflow_runs_of_parent ON workflow_runs (parent_run_id) WHERE parent_run_id IS NOT NULL;

-- Every step that was begun, under the way to it. What is stored as over is never done again.
CREATE TABLE workflow_steps (
  run_id TEXT NOT NULL REFERENCES workflow_runs (run_id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  step_id TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'paused', 'completed', 'failed', 'timeout', 'skipped', 'cancelled')),
  attempt BIGINT NOT NULL,
  output TEXT,
  data TEXT,
  details TEXT,
  error TEXT,
  approved BIGINT,
  token TEXT,
  session_id TEXT,
  task_run_id TEXT,
  -- how many of its linked actions were done
  linked BIGINT NOT NULL,
  wake_at BIGINT,
  started_at BIGINT,
  finished_at BIGINT,
  PRIMARY KEY (run_id, path)
);
CREATE INDEX workflow_steps_of_task ON workflow_steps (task_run_id) WHERE task_run_id IS NOT NULL;
CREATE UNIQUE INDEX workflow_steps_token ON workflow_steps (token) WHERE token IS NOT NULL;

-- what is looked for every second is found without a look at what is over
CREATE INDEX runs_open_workflows ON runs (task_of) WHERE status IN ('queued', 'running') AND kind = 'workflow';
