-- Advances when messages change or are taken back: copies of a log that is only added to stay good.
ALTER TABLE sessions ADD COLUMN log_version BIGINT NOT NULL DEFAULT 0;

-- What a session used, in the row that each of its turns changes anyway.
ALTER TABLE sessions ADD COLUMN usage_runs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN usage_calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN usage_input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN usage_output_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN usage_cache_read_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN usage_cost DOUBLE PRECISION;
-- of the newest call of a run: how full the window was
ALTER TABLE sessions ADD COLUMN usage_last_input_tokens BIGINT;
UPDATE sessions SET
  usage_runs = used.runs, usage_calls = used.calls, usage_input_tokens = used.input_tokens,
  usage_output_tokens = used.output_tokens, usage_cache_read_tokens = used.cache_read_tokens,
  usage_cost = used.cost, usage_last_input_tokens = used.last_input_tokens
FROM session_usage AS used WHERE used.session_id = sessions.id;
-- session_usage stays for nodes of the version before, which write it as long as an upgrade takes.
