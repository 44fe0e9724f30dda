-- Messages with an ordering key are looked for by their due times, so that those which are not due
-- cost nothing, and then by their keys, whose first messages decide.
DROP INDEX inbox_pending_lane;
CREATE INDEX inbox_pending_lane ON inbox_pending (endpoint, lane, due_on_utc, seq) WHERE lane IS NOT NULL;
CREATE INDEX inbox_pending_key ON inbox_pending (endpoint, ordering_key, seq) WHERE lane IS NOT NULL;

INSERT INTO inbox_schema (version, description) VALUES (9, 'find due keys');
