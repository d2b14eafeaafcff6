-- The version that the memories of a document were made of; 0 is none.
ALTER TABLE documents ADD COLUMN learned_version BIGINT NOT NULL DEFAULT 0;
-- how often that failed for the newest version
ALTER TABLE documents ADD COLUMN learn_failures BIGINT NOT NULL DEFAULT 0;
-- only those that are to be looked at are in it
CREATE INDEX documents_unlearned ON documents (scope, learn_failures, updated_at, id) WHERE deleted_at IS NULL AND learned_version <> version;
