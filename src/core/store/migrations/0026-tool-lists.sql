-- What models were offered to call. The steps of many runs refer to the same list, which is never changed.
CREATE TABLE tool_lists (
  id TEXT PRIMARY KEY,
  list TEXT NOT NULL
);
