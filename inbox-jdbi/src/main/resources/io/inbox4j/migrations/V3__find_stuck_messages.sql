-- Messages that were in hand again and again without an outcome. There are few or none of them, so
-- the index is as good as empty; without it they would be looked for among all that wait.
CREATE INDEX inbox_pending_crashed ON inbox_pending (endpoint, crashes, seq) WHERE crashes > 0;

INSERT INTO inbox_schema (version, description) VALUES (3, 'find stuck messages');
