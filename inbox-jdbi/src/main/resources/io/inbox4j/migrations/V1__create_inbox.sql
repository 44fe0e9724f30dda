-- The inbox. Rows with a payload are written once and never updated; the work to do is a narrow
-- table beside them. A message is in exactly one of inbox_pending, inbox_processed and inbox_dead;
-- it moves between them in one statement.

CREATE TABLE inbox_schema (
  version        integer     NOT NULL PRIMARY KEY,
  description    text        NOT NULL,
  applied_on_utc timestamptz NOT NULL DEFAULT now()
);

-- A received message: append-only.
CREATE TABLE inbox_messages (
  seq             bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  endpoint        text        NOT NULL CHECK (endpoint <> ''),
  message_id      uuid        NOT NULL,
  type            text        NOT NULL CHECK (type <> ''),
  content_type    text,
  body            bytea       NOT NULL,
  headers         text,
  correlation_id  text,
  source          text,
  redelivered     boolean     NOT NULL,
  ordering_key    text,
  not_before      timestamptz,
  received_on_utc timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inbox_messages_identity PRIMARY KEY (message_id, endpoint),
  CONSTRAINT inbox_messages_seq UNIQUE (seq)
);

-- A message still to be handled. A worker's lock on its row is the worker's claim on it. Messages
-- with an ordering key are in a lane, the hash of the key; who has locked the lane may claim them.
CREATE TABLE inbox_pending (
  seq          bigint      NOT NULL PRIMARY KEY,
  endpoint     text        NOT NULL,
  type         text        NOT NULL,
  due_on_utc   timestamptz NOT NULL DEFAULT now(),
  attempts     smallint    NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  crashes      smallint    NOT NULL DEFAULT 0 CHECK (crashes >= 0),
  last_error   text,
  lane         smallint,
  ordering_key text,
  CONSTRAINT inbox_pending_key_has_lane CHECK ((ordering_key IS NULL) = (lane IS NULL)),
  CONSTRAINT inbox_pending_failed_has_error CHECK ((attempts > 0) = (last_error IS NOT NULL))
) WITH (fillfactor = 70, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX inbox_pending_due  ON inbox_pending (endpoint, due_on_utc, seq) WHERE lane IS NULL;
CREATE INDEX inbox_pending_lane ON inbox_pending (endpoint, lane, seq) WHERE lane IS NOT NULL;

-- A message handled: append-only, partitioned so that old ones can be dropped as a whole.
CREATE TABLE inbox_processed (
  seq              bigint      NOT NULL,
  attempts         smallint    NOT NULL CHECK (attempts > 0),
  processed_on_utc timestamptz NOT NULL
) PARTITION BY RANGE (processed_on_utc);
CREATE TABLE inbox_processed_default PARTITION OF inbox_processed DEFAULT;
CREATE INDEX inbox_processed_seq ON inbox_processed (seq);

-- A message given up on, kept until it is replayed or discarded. Later messages of the ordering key
-- that it holds wait for that.
CREATE TABLE inbox_dead (
  seq         bigint      NOT NULL PRIMARY KEY,
  attempts    smallint    NOT NULL CHECK (attempts > 0),
  error       text        NOT NULL CHECK (error <> ''),
  dead_on_utc timestamptz NOT NULL,
  endpoint    text        NOT NULL,
  held_key    text
);
CREATE INDEX inbox_dead_held ON inbox_dead (endpoint, held_key) WHERE held_key IS NOT NULL;

-- A delivery that is no event: its bytes as they came, and why.
CREATE TABLE inbox_quarantine (
  seq                bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint           text        NOT NULL CHECK (endpoint <> ''),
  reason             text        NOT NULL CHECK (reason <> ''),
  detail             text        NOT NULL,
  fingerprint        uuid        NOT NULL,
  message_id         text,
  type               text,
  content_type       text,
  content_encoding   text,
  correlation_id     text,
  source             text,
  headers            text,
  body               bytea       NOT NULL,
  redelivered        boolean     NOT NULL,
  quarantined_on_utc timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inbox_quarantine_once UNIQUE (endpoint, fingerprint)
);

-- The lane of an ordering key.
CREATE FUNCTION inbox_lane(ordering_key text) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT (hashtextextended(ordering_key, 0) & 63)::smallint
$$;

-- Whether a transaction was rolled back, or its server crashed; false if it is too old to know.
CREATE FUNCTION inbox_rolled_back(transaction xid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN id BETWEEN 3 AND next - 1
              THEN coalesce(pg_xact_status(id::text::xid8) = 'aborted', false)
              ELSE false END
  FROM (SELECT next, CASE WHEN id < next THEN id ELSE id - 4294967296 END AS id
        FROM (SELECT next, (next >> 32 << 32) + transaction::text::bigint AS id
              FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next) n) e) x
$$;

-- A body as jsonb, or null where jsonb refuses what JSON allows.
CREATE FUNCTION inbox_content(body bytea) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN convert_from(body, 'UTF8')::jsonb;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- What a person looks at.
CREATE VIEW inbox AS
SELECT m.message_id                                   AS id,
       m.endpoint,
       m.type,
       inbox_content(m.body)                          AS content,
       CASE WHEN d.seq IS NOT NULL THEN 'failed'
            WHEN w.seq IS NULL     THEN 'processed'
            WHEN w.attempts > 0    THEN 'retrying'
            ELSE 'pending' END                        AS status,
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

INSERT INTO inbox_schema (version, description) VALUES (1, 'create inbox');
