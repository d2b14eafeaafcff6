-- Where the mode of a room stands, secrets included; what all may know of it is the modeState of the session.
CREATE TABLE rooms (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  mode TEXT NOT NULL,
  state TEXT NOT NULL,
  -- what somebody asked for when the mode was set: it begins anew with that
  options TEXT NOT NULL,
  -- the last message of the log that it knows of: when that is gone, it is of another log
  through_seq BIGINT NOT NULL,
  through_id TEXT,
  updated_at BIGINT NOT NULL
);

-- Each agent of a room has a session of its own: the room as that agent sees it. It can be made anew from the log of
-- the room at any time; through_seq and through_id say how much of that log it has taken in.
CREATE TABLE room_seats (
  room_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  through_seq BIGINT NOT NULL,
  through_id TEXT,
  PRIMARY KEY (room_id, agent)
);
CREATE INDEX room_seats_of_session ON room_seats (session_id);

-- Who was asked, why, and what came of it. asks and their runs are stored in one transaction: nobody is asked twice.
CREATE TABLE room_rounds (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  room_id TEXT NOT NULL,
  routing TEXT NOT NULL,
  -- events of the run up to here were told before it
  event_seq BIGINT NOT NULL,
  -- agents, their sessions and runs, and after the end of the round what they answered
  turns TEXT NOT NULL,
  commands TEXT,
  message_ids TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  PRIMARY KEY (run_id, number)
);
CREATE INDEX room_rounds_newest ON room_rounds (room_id, created_at, run_id, number);
