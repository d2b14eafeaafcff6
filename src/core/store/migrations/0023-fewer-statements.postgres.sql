-- Each owner of a run numbers its events within a range of its own, which its fence tells.
ALTER TABLE runs DROP COLUMN last_event_seq;
