-- Trees of work. The version grows with every change; whoever changes a plan holds its row.
CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  metadata TEXT NOT NULL,
  version BIGINT NOT NULL,
  -- numbers of nodes are small, since models name them, and never used twice
  last_node BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX plans_newest ON plans (scope, updated_at, id);

CREATE TABLE plan_nodes (
  plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  id BIGINT NOT NULL,
  -- 0 at the top
  parent_id BIGINT NOT NULL,
  -- orders the children of a parent; there is room between two of them, so that one more touches no other
  sort BIGINT NOT NULL,
  name TEXT NOT NULL,
  instruction TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped', 'blocked')),
  -- why it is skipped, blocked or failed
  reason TEXT,
  metadata TEXT NOT NULL,
  context TEXT,
  acceptance TEXT,
  result TEXT,
  cost DOUBLE PRECISION,
  session_id TEXT,
  run_id TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (plan_id, id)
);
CREATE UNIQUE INDEX plan_nodes_children ON plan_nodes (plan_id, parent_id, sort);
CREATE INDEX plan_nodes_of_session ON plan_nodes (session_id) WHERE status = 'running';
-- with the cost, so that how far a plan is can be told without its nodes, which may be large
CREATE INDEX plan_nodes_by_status ON plan_nodes (plan_id, status, cost);

CREATE TABLE plan_dependencies (
  plan_id TEXT NOT NULL,
  node_id BIGINT NOT NULL,
  on_id BIGINT NOT NULL,
  PRIMARY KEY (plan_id, node_id, on_id),
  FOREIGN KEY (plan_id, node_id) REFERENCES plan_nodes (plan_id, id) ON DELETE CASCADE,
  FOREIGN KEY (plan_id, on_id) REFERENCES plan_nodes (plan_id, id) ON DELETE CASCADE
);
CREATE INDEX plan_dependencies_on ON plan_dependencies (plan_id, on_id);

-- What each version changed: the nodes as they were and as they became. Undoing one is a change as well.
CREATE TABLE plan_changes (
  plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  action TEXT NOT NULL,
  author TEXT NOT NULL,
  session_id TEXT,
  undoes BIGINT,
  changes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (plan_id, version)
);

-- What a run of the ledger of the kind `plan` is, beside being a run.
CREATE TABLE plan_runs (
  run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('actions', 'execute', 'decompose')),
  -- no reference: a run outlives its plan, and actions may make one
  plan_id TEXT,
  session_id TEXT NOT NULL,
  -- the conversation and the answer whose actions they are
  chat_session_id TEXT,
  message_id TEXT,
  -- the step of another run that waits for this one
  parent_run_id TEXT,
  parent_step BIGINT,
  -- how many answers in a row were made by results alone
  round BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX plan_runs_newest ON plan_runs (scope, created_at, run_id);
CREATE INDEX plan_runs_of_plan ON plan_runs (plan_id, created_at, run_id) WHERE plan_id IS NOT NULL;
CREATE INDEX plan_runs_of_chat ON plan_runs (chat_session_id, created_at, run_id) WHERE chat_session_id IS NOT NULL;
CREATE INDEX plan_runs_of_parent ON plan_runs (parent_run_id) WHERE parent_run_id IS NOT NULL;

-- Every action, every node that is done and every node that is taken apart. What is stored as over is never done again.
CREATE TABLE plan_steps (
  run_id TEXT NOT NULL REFERENCES plan_runs (run_id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('action', 'node', 'expand')),
  node_id BIGINT,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  -- what is to be done, and what only the step itself has to know
  details TEXT NOT NULL,
  message TEXT,
  result TEXT,
  error TEXT,
  wake_at BIGINT,
  session_id TEXT,
  task_run_id TEXT,
  started_at BIGINT,
  finished_at BIGINT,
  PRIMARY KEY (run_id, number)
);
CREATE UNIQUE INDEX plan_steps_of_task ON plan_steps (task_run_id) WHERE task_run_id IS NOT NULL;
