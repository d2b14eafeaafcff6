-- How deep a tree of runs may go and when its time is over; both are absolute, so that nothing has to be counted again.
ALTER TABLE budgets ADD COLUMN max_depth BIGINT;
ALTER TABLE budgets ADD COLUMN deadline_at BIGINT;

-- What a model call that goes on may use at least: one per run, gone with the call or with the run.
CREATE TABLE budget_holds (
  run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  budget_id TEXT NOT NULL REFERENCES budgets (run_id) ON DELETE CASCADE,
  tokens BIGINT NOT NULL,
  cost DOUBLE PRECISION NOT NULL
);
CREATE INDEX budget_holds_by_budget ON budget_holds (budget_id);
