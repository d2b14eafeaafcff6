-- Each owner of a run numbers its events within a range of its own, which its fence tells.
ALTER TABLE runs DROP COLUMN last_event_seq;

-- One statement records an event and counts it.
CREATE TRIGGER events_counted AFTER INSERT ON events BEGIN
  UPDATE scopes SET event_seq = new.seq WHERE name = new.scope;
END;
