-- URLs that are called when something happens.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL REFERENCES scopes (name),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  -- the type of an event, or its beginning and a *
  event TEXT NOT NULL,
  -- fields that must be equal, as JSON
  filter TEXT NOT NULL,
  -- what calls are signed with
  secret TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused')),
  -- why it is paused
  reason TEXT,
  -- events up to here have their deliveries: moves on in the transaction that adds them
  seen_seq BIGINT NOT NULL,
  -- deliveries in a row that were given up
  failures BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhooks_newest ON webhooks (scope, created_at, id);

-- One call of a webhook for one event, until it is delivered or given up. No event gets a second row.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- of the event; none for a test
  seq BIGINT,
  type TEXT NOT NULL,
  -- what is sent, byte for byte at every attempt
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')),
  -- counts up when one begins, which is also what decides between nodes
  attempts BIGINT NOT NULL DEFAULT 0,
  next_attempt_at BIGINT NOT NULL,
  -- of the last answer, if there was one
  answer_status BIGINT,
  error TEXT,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  UNIQUE (webhook_id, seq)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE status <> 'waiting';
