-- The inbox. Rows with a payload are written once and never updated; the work to do is a narrow
-- table beside them. A message is in exactly one of inbox_pending, inbox_processed and inbox_dead;
-- it moves between them in one statement.
--
-- The names here are those of the schema that is current while the script runs. Nothing that it
-- creates looks them up again later.

-- A migration that was applied. Every script records itself.
CREATE TABLE inbox_migrations (
  version        integer     NOT NULL PRIMARY KEY,
  description    text        NOT NULL,
  applied_on_utc timestamptz NOT NULL DEFAULT now()
);

-- A received message: append-only. An emptied one has lost its body and headers to retention; its
-- identity is kept, so that a repeated delivery is a duplicate.
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
  emptied         boolean     NOT NULL DEFAULT false,
  CONSTRAINT inbox_messages_identity PRIMARY KEY (message_id, endpoint),
  CONSTRAINT inbox_messages_seq UNIQUE (seq)
);

-- The lane of a message. Messages without an ordering key have lanes 0 to 63, which neighbours in
-- arrival order share; those with one have lanes 64 to 127, by the hash of the key.
CREATE FUNCTION inbox_lane(ordering_key text, seq bigint) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN ordering_key IS NULL THEN seq >> 7 & 63
               ELSE 64 + (hashtextextended(ordering_key, 0) & 63) END)::smallint
$$;

-- A message still to be handled. What is due waits in its lane; what is not is parked, in the lane
-- -1 - lane, until due_on_utc; what is behind such a message of its key, or behind a dead one that
-- blocks the key, is held in the lane -129 - lane, and looked at again at due_on_utc. A claim takes what it finds in a lane and locks the rows; whoever has
-- locked the lane may claim messages with an ordering key. The lease is the token under which a
-- message is handled outside a transaction: until due_on_utc nobody else claims it; after that
-- whoever does gets another token, and an outcome that comes with the old one changes nothing.
CREATE TABLE inbox_pending (
  seq          bigint      NOT NULL,
  due_on_utc   timestamptz NOT NULL DEFAULT now(),
  lease        bigint,
  lane         smallint    NOT NULL,
  attempts     smallint    NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  crashes      smallint    NOT NULL DEFAULT 0 CHECK (crashes >= 0),
  endpoint     text        NOT NULL,
  type         text        NOT NULL,
  ordering_key text,
  last_error   text,
  PRIMARY KEY (endpoint, lane, seq),
  CONSTRAINT inbox_pending_lane CHECK (inbox_lane(ordering_key, seq) IN (lane, -1 - lane, -129 - lane)),
  CONSTRAINT inbox_pending_failed_has_error CHECK ((attempts > 0) = (last_error IS NOT NULL))
) WITH (fillfactor = 70, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
-- What is parked is found when it is due, in any lane or in one, and by its key, because it holds up
-- later messages of it.
CREATE INDEX inbox_pending_parked ON inbox_pending (endpoint, due_on_utc, seq) WHERE lane < 0;
CREATE INDEX inbox_pending_parked_lane ON inbox_pending (endpoint, lane, due_on_utc, seq) WHERE lane < 0;
CREATE INDEX inbox_pending_parked_key ON inbox_pending (endpoint, ordering_key, seq)
  WHERE lane < 0 AND ordering_key IS NOT NULL;
-- There are few of these, so the indexes are nearly empty; without them they would be searched for
-- among all that wait.
CREATE INDEX inbox_pending_crashed ON inbox_pending (endpoint, crashes, seq) WHERE crashes > 0;
CREATE INDEX inbox_pending_leased ON inbox_pending (endpoint, ordering_key)
  WHERE lease IS NOT NULL AND ordering_key IS NOT NULL;

CREATE SEQUENCE inbox_lease;

-- A message handled: append-only, partitioned so that old ones can be dropped as a whole.
CREATE TABLE inbox_processed (
  seq              bigint      NOT NULL,
  attempts         smallint    NOT NULL CHECK (attempts > 0),
  processed_on_utc timestamptz NOT NULL
) PARTITION BY RANGE (processed_on_utc);
CREATE TABLE inbox_processed_default PARTITION OF inbox_processed DEFAULT;
CREATE INDEX inbox_processed_seq ON inbox_processed (seq);

-- A message given up on, kept until it is replayed or discarded. Later messages of the ordering key
-- that it blocks wait for that.
CREATE TABLE inbox_dead (
  seq         bigint      NOT NULL PRIMARY KEY,
  attempts    smallint    NOT NULL CHECK (attempts > 0),
  error       text        NOT NULL CHECK (error <> ''),
  dead_on_utc timestamptz NOT NULL,
  endpoint    text        NOT NULL,
  blocked_key text
);
CREATE INDEX inbox_dead_blocked ON inbox_dead (endpoint, blocked_key) WHERE blocked_key IS NOT NULL;

-- The next place in the arrival order. A role that may not use the sequence may use this.
CREATE FUNCTION inbox_next_place() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER
  RETURN nextval('inbox_messages_seq_seq'::regclass);

-- A delivery that is not a valid event: its bytes as they came, why, and its place among the
-- messages, at which it is stored if it becomes one.
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
  place              bigint      NOT NULL DEFAULT inbox_next_place(),
  CONSTRAINT inbox_quarantine_once UNIQUE (endpoint, fingerprint)
);
-- Those of a type are found without a look at all the others. A type may be any text.
CREATE INDEX inbox_quarantine_unknown ON inbox_quarantine (endpoint, left(type, 255), seq)
  WHERE reason = 'unknown-type';

-- A failed attempt of a message: only the first and the last ones of each are kept, and they go with
-- the message. The number counts on when a message is replayed, the attempt begins again. A crash
-- of the process has no error class. Equal failures have the same fingerprint.
CREATE TABLE inbox_attempts (
  seq           bigint      NOT NULL,
  failed_on_utc timestamptz NOT NULL DEFAULT clock_timestamp(),
  number        integer     NOT NULL CHECK (number > 0),
  took_millis   integer,
  attempt       smallint    NOT NULL CHECK (attempt > 0),
  fingerprint   text        NOT NULL CHECK (fingerprint <> ''),
  process       text,
  error_class   text,
  error         text        NOT NULL,
  CONSTRAINT inbox_attempts_number PRIMARY KEY (seq, number)
);
CREATE INDEX inbox_attempts_fingerprint ON inbox_attempts (fingerprint, failed_on_utc);

-- An endpoint whose messages are not handled, by any process, until the row is gone.
CREATE TABLE inbox_paused (
  endpoint      text        NOT NULL PRIMARY KEY CHECK (endpoint <> ''),
  paused_by     text        NOT NULL CHECK (paused_by <> ''),
  reason        text        NOT NULL,
  paused_on_utc timestamptz NOT NULL DEFAULT now()
);

-- Every message that an operator replayed, discarded or expedited, as often as that was done:
-- append-only.
CREATE TABLE inbox_interventions (
  id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action      text        NOT NULL CHECK (action IN ('replay', 'discard', 'expedite')),
  origin      text        NOT NULL CHECK (origin IN ('pending', 'dead', 'quarantine')),
  seq         bigint      NOT NULL,
  endpoint    text        NOT NULL,
  message_id  text,
  type        text,
  reason      text        NOT NULL,
  done_by     text        NOT NULL CHECK (done_by <> ''),
  done_on_utc timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX inbox_interventions_seq ON inbox_interventions (origin, seq);

-- A process that is running, for as long as its last heartbeat is recent. A heartbeat changes no
-- column of an index, so its row stays in its page. The type handled_types[i] is handled where it
-- arrives at the endpoint handled_at[i].
CREATE TABLE inbox_processes (
  id             uuid        NOT NULL PRIMARY KEY,
  name           text        NOT NULL CHECK (name <> ''),
  host           text        NOT NULL,
  pid            bigint      NOT NULL,
  version        text        NOT NULL,
  roles          text[]      NOT NULL,
  endpoints      text[]      NOT NULL,
  handled_at     text[]      NOT NULL,
  handled_types  text[]      NOT NULL,
  started_on_utc timestamptz NOT NULL,
  seen_on_utc    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inbox_processes_pairs CHECK (cardinality(handled_at) = cardinality(handled_types))
) WITH (fillfactor = 50);

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
CREATE INDEX inbox_archive_age ON inbox_archive (endpoint, archived_on_utc);

-- How long running processes want the messages of an endpoint to be kept; null is forever, in the
-- archive none. Each process renews what it wants every few minutes. The retention job goes by the
-- longest that is wanted; an endpoint without a row is left alone. A row that was not renewed for a
-- day is noted as missed, and counts until it has been missed for an hour: after a jump of the
-- clock everybody has the time to renew.
CREATE TABLE inbox_retention_policy (
  endpoint       text        NOT NULL CHECK (endpoint <> ''),
  keep           interval,
  dedup_window   interval,
  archive        interval,
  history        interval,
  renewed_on_utc timestamptz NOT NULL DEFAULT now(),
  missed_on_utc  timestamptz,
  CONSTRAINT inbox_retention_policy_window CHECK ((keep IS NULL) = (dedup_window IS NULL))
);
CREATE UNIQUE INDEX inbox_retention_policy_once ON inbox_retention_policy (
  endpoint, coalesce(keep, interval '-1 s'), coalesce(dedup_window, interval '-1 s'),
  coalesce(archive, interval '-1 s'), coalesce(history, interval '-1 s'));

-- Which process removes old messages: one at a time, until its lease ends. A lock of a session would
-- stay behind where a pooler gives each transaction another session.
CREATE TABLE inbox_retention_lease (
  only_one     boolean     NOT NULL DEFAULT true PRIMARY KEY CHECK (only_one),
  holder       uuid        NOT NULL,
  until_on_utc timestamptz NOT NULL
);

-- How far a task of the retention job has come through a table, for whom it looks, how many rows it
-- has seen, how many of them stay for others, and whether it is at the end. With a larger scope it
-- begins anew.
CREATE TABLE inbox_retention_progress (
  task         text        NOT NULL,
  source       text        NOT NULL,
  position     bigint      NOT NULL,
  began_on_utc timestamptz NOT NULL DEFAULT now(),
  scope        text[]      NOT NULL DEFAULT '{}',
  seen         bigint      NOT NULL DEFAULT 0,
  kept         bigint      NOT NULL DEFAULT 0,
  finished     boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (task, source)
);

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

-- Every message with its status.
CREATE VIEW inbox_details AS
SELECT m.*,
       CASE WHEN d.seq IS NOT NULL THEN 'dead'
            WHEN w.attempts > 0    THEN 'retrying'
            WHEN w.seq IS NOT NULL THEN 'pending'
            WHEN p.seq IS NULL AND EXISTS (SELECT 1 FROM inbox_interventions i
                                           WHERE i.origin IN ('pending', 'dead') AND i.seq = m.seq
                                             AND i.action = 'discard') THEN 'discarded'
            ELSE 'processed' END                    AS status,
       coalesce(p.attempts, d.attempts, w.attempts) AS attempts,
       coalesce(d.error, w.last_error)              AS error,
       p.processed_on_utc,
       d.dead_on_utc,
       w.due_on_utc,
       w.crashes,
       w.lease
FROM inbox_messages m
LEFT JOIN inbox_pending   w ON w.seq = m.seq AND w.endpoint = m.endpoint
  AND w.lane = ANY (ARRAY[inbox_lane(m.ordering_key, m.seq), (-1 - inbox_lane(m.ordering_key, m.seq))::smallint,
                      (-129 - inbox_lane(m.ordering_key, m.seq))::smallint])
LEFT JOIN inbox_dead      d ON d.seq = m.seq
LEFT JOIN inbox_processed p ON p.seq = m.seq;

-- What people look at; of an emptied message there is nothing to see.
CREATE VIEW inbox AS
SELECT message_id                                 AS id,
       endpoint,
       type,
       inbox_content(body)                        AS content,
       status,
       received_on_utc,
       processed_on_utc,
       attempts,
       CASE status WHEN 'retrying' THEN due_on_utc END AS next_attempt_on_utc,
       error,
       correlation_id,
       source,
       headers,
       ordering_key,
       seq,
       -- the same by the names that monitoring queries for inbox tables commonly use
       message_id,
       type                                       AS message_type,
       received_on_utc                            AS received_at,
       processed_on_utc                           AS processed_at,
       error                                      AS error_message,
       source                                     AS source_service
FROM inbox_details
WHERE NOT emptied;

INSERT INTO inbox_migrations (version, description) VALUES (1, 'create inbox');
