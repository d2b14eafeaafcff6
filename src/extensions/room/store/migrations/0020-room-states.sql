-- Where the mode of a room stood at a message of the log, secrets included: a room whose log is rolled back or forked
-- goes on from there. The newest are kept.
CREATE TABLE room_states (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  -- how long the log was
  seq BIGINT NOT NULL,
  mode TEXT NOT NULL,
  state TEXT NOT NULL,
  options TEXT NOT NULL,
  -- characters of the state, so that nobody has to read it to count them
  size BIGINT NOT NULL,
  PRIMARY KEY (session_id, seq)
);

-- How long the log was when the round began: of a log that is shorter, it is gone. Rounds of before do not say.
ALTER TABLE room_rounds ADD COLUMN log_seq BIGINT;
