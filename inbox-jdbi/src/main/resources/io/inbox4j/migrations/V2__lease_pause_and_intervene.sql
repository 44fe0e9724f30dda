-- Leases, pauses, and a record of what people did.

-- The token of the lease under which a message is being handled outside a transaction. Until
-- due_on_utc nobody else takes it; after that who takes it gets another token, and what comes with
-- the old one changes nothing.
ALTER TABLE inbox_pending ADD COLUMN lease bigint;
CREATE SEQUENCE inbox_lease;

-- An endpoint whose messages are not handled, by any process, until the row is gone.
CREATE TABLE inbox_paused (
  endpoint      text        NOT NULL PRIMARY KEY CHECK (endpoint <> ''),
  paused_by     text        NOT NULL CHECK (paused_by <> ''),
  reason        text        NOT NULL,
  paused_on_utc timestamptz NOT NULL DEFAULT now()
);

-- Every message that somebody replayed or discarded, as often as that was done: append-only.
CREATE TABLE inbox_interventions (
  id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action      text        NOT NULL CHECK (action IN ('replay', 'discard')),
  origin      text        NOT NULL CHECK (origin IN ('dead', 'quarantine')),
  seq         bigint      NOT NULL,
  endpoint    text        NOT NULL,
  message_id  text,
  type        text,
  reason      text        NOT NULL,
  done_by     text        NOT NULL CHECK (done_by <> ''),
  done_on_utc timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX inbox_interventions_seq ON inbox_interventions (origin, seq);

-- What a person looks at; a message that was dead and discarded says so.
CREATE OR REPLACE VIEW inbox AS
SELECT m.message_id                                   AS id,
       m.endpoint,
       m.type,
       inbox_content(m.body)                          AS content,
       CASE WHEN d.seq IS NOT NULL THEN 'failed'
            WHEN w.attempts > 0    THEN 'retrying'
            WHEN w.seq IS NOT NULL THEN 'pending'
            WHEN p.seq IS NULL AND EXISTS (SELECT 1 FROM inbox_interventions i
                                           WHERE i.origin = 'dead' AND i.seq = m.seq
                                             AND i.action = 'discard') THEN 'discarded'
            ELSE 'processed' END                      AS status,
       m.received_on_utc,
       p.processed_on_utc,
       coalesce(p.attempts, d.attempts, w.attempts)   AS attempts,
       CASE WHEN w.attempts > 0 THEN w.due_on_utc END AS next_attempt_on_utc,
       coalesce(d.error, w.last_error)                AS error,
       m.correlation_id,
       m.source,
       m.headers,
       m.ordering_key,
       m.seq,
       -- the same by the names that monitoring queries for inbox tables commonly use
       m.message_id,
       m.type                                         AS message_type,
       m.received_on_utc                              AS received_at,
       p.processed_on_utc                             AS processed_at,
       coalesce(d.error, w.last_error)                AS error_message,
       m.source                                       AS source_service
FROM inbox_messages m
LEFT JOIN inbox_pending   w USING (seq)
LEFT JOIN inbox_dead      d USING (seq)
LEFT JOIN inbox_processed p USING (seq);

INSERT INTO inbox_schema (version, description) VALUES (2, 'lease, pause and intervene');
