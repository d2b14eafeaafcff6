-- The dynamic tail that was sent with a user message, replayed as it was while the message is in the window.
ALTER TABLE messages ADD COLUMN context TEXT;

-- Messages before this one have left the window.
ALTER TABLE sessions ADD COLUMN window_start BIGINT NOT NULL DEFAULT 1;

-- What a run has done so far: one row per model call, rewritten while its tools come back.
CREATE TABLE run_steps (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step BIGINT NOT NULL,
  parts TEXT NOT NULL,
  prompt TEXT NOT NULL,
  last_event_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, step)
);

-- The static part of a session's prompts over an epoch, as it was first sent.
CREATE TABLE prompt_epochs (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  epoch BIGINT NOT NULL,
  system TEXT NOT NULL,
  fragments TEXT NOT NULL,
  sources TEXT NOT NULL,
  sent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, epoch)
);
