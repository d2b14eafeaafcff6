-- What starts a workflow by itself.
ALTER TABLE crons ADD COLUMN workflow_id TEXT;
ALTER TABLE event_hooks ADD COLUMN workflow_id TEXT;
CREATE INDEX crons_of_workflow ON crons (workflow_id) WHERE workflow_id IS NOT NULL;
CREATE INDEX event_hooks_of_workflow ON event_hooks (workflow_id) WHERE workflow_id IS NOT NULL;
