-- What a turn adds is in as few trees as can be: each of them is a page that its commit writes.

-- The newest event of a scope stays, so that its number is the one that was counted last; event_seq is that of scopes whose
-- events had all been forgotten before this.
DROP TRIGGER events_counted;
CREATE TABLE events_now (
  scope TEXT NOT NULL,
  seq BIGINT NOT NULL,
  type TEXT NOT NULL,
  session_id TEXT,
  data TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, seq)
) WITHOUT ROWID;
INSERT INTO events_now SELECT scope, seq, type, session_id, data, created_at FROM events;
DROP TABLE events;
ALTER TABLE events_now RENAME TO events;

CREATE TABLE checkpoints_now (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  message_seq BIGINT NOT NULL,
  user_message TEXT NOT NULL,
  completed BIGINT NOT NULL DEFAULT 0,
  file_changes TEXT NOT NULL DEFAULT '[]',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, message_seq, id)
) WITHOUT ROWID;
INSERT INTO checkpoints_now
SELECT session_id, id, message_seq, user_message, completed, file_changes, created_at FROM checkpoints;
DROP TABLE checkpoints;
ALTER TABLE checkpoints_now RENAME TO checkpoints;

-- One writer per session, whatever the code believes; those that wait stand beside it.
DROP INDEX runs_one_running;
DROP INDEX runs_open_of_session;
CREATE UNIQUE INDEX runs_open_of_session ON runs (
  session_id, (CASE status WHEN 'running' THEN '' ELSE id END)
) WHERE status IN ('queued', 'running');
