CREATE TABLE search_documents (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL
);
CREATE INDEX search_documents_of_session ON search_documents (session_id, seq);

-- the words come split already (see search-words.ts); the text itself is not stored a second time
CREATE VIRTUAL TABLE search_index USING fts5 (
  words,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);

CREATE TRIGGER search_documents_deleted AFTER DELETE ON search_documents BEGIN
  DELETE FROM search_index WHERE rowid = old.id;
END;
