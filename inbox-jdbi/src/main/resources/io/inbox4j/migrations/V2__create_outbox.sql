-- The order of outgoing messages. It must not cache: a later number means a later call.
CREATE SEQUENCE outbox_seq CACHE 1;

-- A message to be sent: inserted once, deleted when the broker has it. A transaction gets its id
-- before its first number: readers rely on it to tell which numbers may still appear.
CREATE TABLE outbox_messages (
  seq              bigint      NOT NULL PRIMARY KEY
                               DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('outbox_seq') END,
  message_id       uuid        NOT NULL,
  to_queue         boolean     NOT NULL,
  destination      text        NOT NULL CHECK (destination <> ''),
  type             text        NOT NULL CHECK (type <> ''),
  content_type     text        NOT NULL,
  body             bytea       NOT NULL,
  headers          text,
  correlation_id   text,
  source           text,
  ordering_key     text,
  expires_millis   bigint      CHECK (expires_millis >= 0),
  priority         smallint,
  published_on_utc timestamptz NOT NULL DEFAULT statement_timestamp()
) WITH (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- A message that is not due yet. When it is, it moves to the others, behind those that are there.
CREATE TABLE outbox_scheduled (
  id               bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  due_on_utc       timestamptz NOT NULL,
  message_id       uuid        NOT NULL,
  to_queue         boolean     NOT NULL,
  destination      text        NOT NULL CHECK (destination <> ''),
  type             text        NOT NULL CHECK (type <> ''),
  content_type     text        NOT NULL,
  body             bytea       NOT NULL,
  headers          text,
  correlation_id   text,
  source           text,
  ordering_key     text,
  expires_millis   bigint      CHECK (expires_millis >= 0),
  priority         smallint,
  published_on_utc timestamptz NOT NULL DEFAULT statement_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX outbox_scheduled_due ON outbox_scheduled (due_on_utc, id);
CREATE INDEX outbox_scheduled_message ON outbox_scheduled (message_id);

-- A message that the broker did not take, kept with its bytes and the reason.
CREATE TABLE outbox_dead (
  seq              bigint      NOT NULL PRIMARY KEY,
  reason           text        NOT NULL CHECK (reason <> ''),
  error            text        NOT NULL,
  message_id       uuid        NOT NULL,
  to_queue         boolean     NOT NULL,
  destination      text        NOT NULL,
  type             text        NOT NULL,
  content_type     text        NOT NULL,
  body             bytea       NOT NULL,
  headers          text,
  correlation_id   text,
  source           text,
  ordering_key     text,
  expires_millis   bigint,
  priority         smallint,
  published_on_utc timestamptz NOT NULL,
  dead_on_utc      timestamptz NOT NULL DEFAULT now()
);

-- Which process sends: one at a time, until its lease ends. A lock of a session would stay behind
-- where a pooler gives each transaction another session.
CREATE TABLE outbox_relay (
  only_one       boolean     NOT NULL DEFAULT true PRIMARY KEY CHECK (only_one),
  holder         uuid        NOT NULL,
  renewed_on_utc timestamptz NOT NULL,
  until_on_utc   timestamptz NOT NULL
) WITH (fillfactor = 50);

INSERT INTO inbox_migrations (version, description) VALUES (2, 'create outbox');
