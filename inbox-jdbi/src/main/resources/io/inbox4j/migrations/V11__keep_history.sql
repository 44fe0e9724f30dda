-- What failed, and which processes are running.

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

INSERT INTO inbox_schema (version, description) VALUES (11, 'keep history');
