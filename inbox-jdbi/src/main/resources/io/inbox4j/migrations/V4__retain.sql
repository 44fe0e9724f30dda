-- What lets a janitor remove old messages without getting into the way of others.

-- A message without its body and headers, of which only the identity is kept: a repeated delivery
-- is a duplicate.
ALTER TABLE inbox_messages ADD COLUMN emptied boolean NOT NULL DEFAULT false;

-- What was processed before today's end becomes a partition that can be dropped as a whole. To add
-- another partition, the rows of the default one are looked at: it has to be small.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM inbox_processed_default) THEN
    ALTER TABLE inbox_processed DETACH PARTITION inbox_processed_default;
    ALTER TABLE inbox_processed_default RENAME TO inbox_processed_before;
    EXECUTE format(
      'ALTER TABLE inbox_processed ATTACH PARTITION inbox_processed_before FOR VALUES FROM (MINVALUE) TO (%L)',
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC');
    CREATE TABLE inbox_processed_default PARTITION OF inbox_processed DEFAULT;
  END IF;
END $$;

-- A message that was processed, or discarded, and removed since: append-only.
CREATE TABLE inbox_archive (
  seq              bigint      NOT NULL,
  endpoint         text        NOT NULL,
  message_id       uuid        NOT NULL,
  type             text        NOT NULL,
  content_type     text,
  body             bytea       NOT NULL,
  headers          text,
  correlation_id   text,
  source           text,
  ordering_key     text,
  received_on_utc  timestamptz NOT NULL,
  processed_on_utc timestamptz,
  attempts         smallint,
  archived_on_utc  timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (archived_on_utc);
CREATE TABLE inbox_archive_default PARTITION OF inbox_archive DEFAULT;
CREATE INDEX inbox_archive_id ON inbox_archive (message_id);
CREATE INDEX inbox_archive_age ON inbox_archive (archived_on_utc);

-- How far a task of the janitor has come through a table.
CREATE TABLE inbox_retention (
  task         text        NOT NULL,
  source       text        NOT NULL,
  position     bigint      NOT NULL,
  began_on_utc timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (task, source)
);

-- What a person looks at; of an emptied message there is nothing to see.
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
LEFT JOIN inbox_processed p USING (seq)
WHERE NOT m.emptied;

INSERT INTO inbox_schema (version, description) VALUES (4, 'retain');
