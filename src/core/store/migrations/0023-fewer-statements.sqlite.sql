-- One statement records an event and counts it.
CREATE TRIGGER events_counted AFTER INSERT ON events BEGIN
  UPDATE scopes SET event_seq = new.seq WHERE name = new.scope;
END;
