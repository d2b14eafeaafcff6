-- Of a run that ended with a reply: its steps and events, which refer to the words of that reply. Such a run has no rows
-- in run_steps and run_events any more; every other has nothing but those rows.
ALTER TABLE runs ADD COLUMN course TEXT;
-- The parts of the reply as its course knows them, once the message has others or is gone.
ALTER TABLE runs ADD COLUMN words TEXT;

-- In the order of its key alone: a batch is one write, and all of a run are removed together.
CREATE TABLE run_events_by_key (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  events TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
INSERT INTO run_events_by_key SELECT run_id, seq, first_seq, events, created_at FROM run_events ORDER BY run_id, seq;
DROP TABLE run_events;
ALTER TABLE run_events_by_key RENAME TO run_events;
