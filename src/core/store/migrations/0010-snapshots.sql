-- How something was before a turn changed it first; what a rollback brings back.
CREATE TABLE snapshots (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  -- how long the log was before the turn
  message_seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- null when it was not there
  content TEXT,
  detail TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, message_seq, kind, name)
);

-- Its answer was taken out of the log: it stays in the ledger, and nobody who opens the session is shown it.
ALTER TABLE runs ADD COLUMN is_undone BIGINT NOT NULL DEFAULT 0;
