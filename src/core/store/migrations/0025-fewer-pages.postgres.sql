-- What a turn adds is in as few trees as can be: each of them is a page that its commit writes.

DROP INDEX events_by_age;

ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_pkey;
ALTER TABLE checkpoints ADD PRIMARY KEY (session_id, message_seq, id);
DROP INDEX checkpoints_in_order;

-- One writer per session, whatever the code believes; those that wait stand beside it.
DROP INDEX runs_one_running;
DROP INDEX runs_open_of_session;
CREATE UNIQUE INDEX runs_open_of_session ON runs (
  session_id, (CASE status WHEN 'running' THEN '' ELSE id END)
) WHERE status IN ('queued', 'running');
