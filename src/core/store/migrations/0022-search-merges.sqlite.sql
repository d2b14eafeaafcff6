-- A write that fills a segment of the index merged others by the way, for up to 40 ms. Each step of the index merges a few
-- pages itself instead.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
