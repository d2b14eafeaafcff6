-- The log held this many messages when the window was last resized.
ALTER TABLE sessions ADD COLUMN resized_seq BIGINT NOT NULL DEFAULT 0;
-- Why the window is no longer resized by itself.
ALTER TABLE sessions ADD COLUMN window_stopped TEXT;
-- The newest version of the memo; 0 when there is none.
ALTER TABLE sessions ADD COLUMN memo_version BIGINT NOT NULL DEFAULT 0;

-- What an epoch was begun for: when the window starts elsewhere, a new one begins.
ALTER TABLE prompt_epochs ADD COLUMN window_start BIGINT NOT NULL DEFAULT 1;

-- Every memo a session ever had; going back adds one too.
CREATE TABLE memo_versions (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  memo TEXT NOT NULL,
  pinned TEXT NOT NULL DEFAULT '[]',
  -- messages up to this one are taken in
  through_seq BIGINT NOT NULL,
  author TEXT NOT NULL CHECK (author IN ('model', 'handler', 'user', 'undo', 'import')),
  model TEXT,
  from_seq BIGINT,
  to_seq BIGINT,
  size_before BIGINT NOT NULL,
  size_after BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, version)
);

-- What was done to a window and why; the newest few hundred of each session.
CREATE TABLE resizes (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  type TEXT NOT NULL,
  reason TEXT NOT NULL,
  severity DOUBLE PRECISION NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('resized', 'unchanged', 'failed')),
  message TEXT,
  before_messages BIGINT NOT NULL,
  before_chars BIGINT NOT NULL,
  after_messages BIGINT NOT NULL,
  after_chars BIGINT NOT NULL,
  start_seq BIGINT NOT NULL,
  memo_version BIGINT,
  usage TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, number)
);
