CREATE TABLE search_documents (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  words TSVECTOR NOT NULL
);
CREATE INDEX search_documents_of_session ON search_documents (session_id, seq);
CREATE INDEX search_documents_words ON search_documents USING gin (words);
