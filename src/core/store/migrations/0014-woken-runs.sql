-- A run that waits for others, or for a time, is one whose lease nobody holds: it lapses when the run is due. Set while it
-- goes on, so that what happens then is not slept over.
ALTER TABLE runs ADD COLUMN is_woken BIGINT NOT NULL DEFAULT 0;
CREATE INDEX runs_by_lease ON runs (lease_until) WHERE status = 'running';
-- what is looked for every second is found without a look at what is over, or at what merely waits
DROP INDEX runs_open;
CREATE INDEX runs_queued ON runs (created_at, id) WHERE status = 'queued';
