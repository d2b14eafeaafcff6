-- A step of an item that is over: nobody reads it before all items are.
ALTER TABLE workflow_steps ADD COLUMN is_passed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX workflow_steps_unpassed ON workflow_steps (run_id) WHERE is_passed = 0;
