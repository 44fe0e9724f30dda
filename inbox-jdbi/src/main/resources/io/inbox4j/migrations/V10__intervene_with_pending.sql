-- People can expedite and discard messages that are still pending, too.
ALTER TABLE inbox_interventions
  DROP CONSTRAINT inbox_interventions_action_check,
  DROP CONSTRAINT inbox_interventions_origin_check,
  ADD CONSTRAINT inbox_interventions_action_check CHECK (action IN ('replay', 'discard', 'expedite')),
  ADD CONSTRAINT inbox_interventions_origin_check CHECK (origin IN ('pending', 'dead', 'quarantine'));

-- What a person looks at; a message that was pending and discarded says so.
CREATE OR REPLACE VIEW inbox AS
SELECT m.message_id                                   AS id,
       m.endpoint,
       m.type,
       inbox_content(m.body)                          AS content,
       CASE WHEN d.seq IS NOT NULL THEN 'failed'
            WHEN w.attempts > 0    THEN 'retrying'
            WHEN w.seq IS NOT NULL THEN 'pending'
            WHEN p.seq IS NULL AND EXISTS (SELECT 1 FROM inbox_interventions i
                                           WHERE i.origin IN ('pending', 'dead') AND i.seq = m.seq
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

INSERT INTO inbox_schema (version, description) VALUES (10, 'intervene with pending');
