-- Of a run that ended with a reply: its steps and events, which refer to the words of that reply. Such a run has no rows
-- in run_steps and run_events any more; every other has nothing but those rows.
ALTER TABLE runs ADD COLUMN course TEXT;
-- The parts of the reply as its course knows them, once the message has others or is gone.
ALTER TABLE runs ADD COLUMN words TEXT;
