-- Services that share these tables keep their messages for different times.

-- How long running processes want the messages of an endpoint to be kept; null is forever, in the
-- archive none. Each process renews what it wants every few minutes. The janitor goes by the
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

-- Who removes old messages: one at a time, until its lease ends. A lock of a session would stay
-- behind where a pooler gives each transaction another session.
CREATE TABLE inbox_janitor (
  only_one     boolean     NOT NULL DEFAULT true PRIMARY KEY CHECK (only_one),
  holder       uuid        NOT NULL,
  until_on_utc timestamptz NOT NULL
);

-- For whom a walk looks, how many rows it has seen, how many of them stay for others, and whether
-- it is at the end. If somebody comes in addition it begins anew.
ALTER TABLE inbox_retention
  ADD COLUMN scope    text[]  NOT NULL DEFAULT '{}',
  ADD COLUMN seen     bigint  NOT NULL DEFAULT 0,
  ADD COLUMN kept     bigint  NOT NULL DEFAULT 0,
  ADD COLUMN finished boolean NOT NULL DEFAULT false;

-- The archive, too, is kept for a time that each endpoint chooses.
DROP INDEX inbox_archive_age;
CREATE INDEX inbox_archive_age ON inbox_archive (endpoint, archived_on_utc);

INSERT INTO inbox_schema (version, description) VALUES (8, 'retain as declared');
