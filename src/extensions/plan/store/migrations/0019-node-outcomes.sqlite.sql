-- Which states a node has is known to the code, as with steps. SQLite cannot drop a check, so the table is written anew,
-- and with it the one that refers to it: dropping the old one would take its rows along.
CREATE TABLE plan_nodes_next (
  plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  id BIGINT NOT NULL,
  -- 0 at the top
  parent_id BIGINT NOT NULL,
  -- orders the children of a parent; there is room between two of them, so that one more touches no other
  sort BIGINT NOT NULL,
  name TEXT NOT NULL,
  instruction TEXT NOT NULL,
  status TEXT NOT NULL,
  -- why it is partial, refused, failed, skipped or blocked
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
CREATE TABLE plan_dependencies_next (
  plan_id TEXT NOT NULL,
  node_id BIGINT NOT NULL,
  on_id BIGINT NOT NULL,
  PRIMARY KEY (plan_id, node_id, on_id),
  FOREIGN KEY (plan_id, node_id) REFERENCES plan_nodes_next (plan_id, id) ON DELETE CASCADE,
  FOREIGN KEY (plan_id, on_id) REFERENCES plan_nodes_next (plan_id, id) ON DELETE CASCADE
);
INSERT INTO plan_nodes_next SELECT * FROM plan_nodes;
INSERT INTO plan_dependencies_next SELECT * FROM plan_dependencies;
DROP TABLE plan_dependencies;
DROP TABLE plan_nodes;
ALTER TABLE plan_nodes_next RENAME TO plan_nodes;
ALTER TABLE plan_dependencies_next RENAME TO plan_dependencies;
CREATE UNIQUE INDEX plan_nodes_children ON plan_nodes (plan_id, parent_id, sort);
CREATE INDEX plan_nodes_of_session ON plan_nodes (session_id) WHERE status = 'running';
CREATE INDEX plan_nodes_by_status ON plan_nodes (plan_id, status, cost);
CREATE INDEX plan_dependencies_on ON plan_dependencies (plan_id, on_id);
