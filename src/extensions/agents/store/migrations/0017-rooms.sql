-- Named definitions that rooms use; those from files are not here.
CREATE TABLE agents (
  scope TEXT NOT NULL REFERENCES scopes (name),
  name TEXT NOT NULL,
  definition TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (scope, name)
);
