-- What starts background sessions by time.
CREATE TABLE crons (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  name TEXT NOT NULL,
  -- a cron line, or once: and a time
  schedule TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  prompt TEXT NOT NULL,
  -- how the session is started beside its prompt, as JSON
  task TEXT NOT NULL,
  missed TEXT NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
  max_missed BIGINT NOT NULL,
  overlap TEXT NOT NULL CHECK (overlap IN ('skip', 'queue', 'cancel-previous')),
  max_failures BIGINT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'completed')),
  -- why it is paused or completed
  reason TEXT,
  -- fires in a row that failed
  failures BIGINT NOT NULL DEFAULT 0,
  -- what decides between nodes: who moves it on has the fire
  next_fire_at BIGINT,
  last_fire_at BIGINT,
  -- the session that made it; its fires have no more rights than that one
  created_in TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX crons_newest ON crons (scope, created_at, id);
CREATE INDEX crons_due ON crons (next_fire_at) WHERE status = 'active';

-- The ledger: a time that has a row was fired, or the row says why not. No time of a cron gets a second row.
CREATE TABLE cron_fires (
  cron_id TEXT NOT NULL REFERENCES crons (id) ON DELETE CASCADE,
  fire_at BIGINT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('schedule', 'missed', 'manual')),
  outcome TEXT NOT NULL
    CHECK (outcome IN ('started', 'skipped', 'queued', 'completed', 'failed', 'timeout', 'cancelled', 'interrupted')),
  reason TEXT,
  -- how many times the row stands for: after a long pause one row tells of all the rest
  times BIGINT NOT NULL DEFAULT 1,
  session_id TEXT,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  PRIMARY KEY (cron_id, fire_at)
);
CREATE INDEX cron_fires_open ON cron_fires (cron_id, fire_at) WHERE outcome IN ('started', 'queued');
-- looked at every second, and nearly always empty
CREATE INDEX cron_fires_queued ON cron_fires (cron_id, fire_at) WHERE outcome = 'queued';
CREATE INDEX cron_fires_by_session ON cron_fires (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX cron_fires_by_age ON cron_fires (created_at);

-- What starts background sessions by something that happened.
CREATE TABLE event_hooks (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  name TEXT NOT NULL,
  -- the type of an event, or its beginning and a *
  event TEXT NOT NULL,
  -- fields that must be equal, as JSON
  filter TEXT NOT NULL,
  prompt TEXT NOT NULL,
  task TEXT NOT NULL,
  max_per_hour BIGINT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused')),
  reason TEXT,
  -- events up to here are dealt with: moves on in the transaction that starts a session
  seen_seq BIGINT NOT NULL,
  -- starts since window_at, which is moved on every hour
  window_at BIGINT NOT NULL DEFAULT 0,
  window_starts BIGINT NOT NULL DEFAULT 0,
  starts BIGINT NOT NULL DEFAULT 0,
  skipped BIGINT NOT NULL DEFAULT 0,
  last_started_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX event_hooks_newest ON event_hooks (scope, created_at, id);
