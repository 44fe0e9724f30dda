-- What was put aside because its type was not known is taken in by any process that knows it, in
-- the place in which it came.

-- The next place in the order of arrival. Who may not use the sequence may use this.
CREATE FUNCTION inbox_next_place() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER
  RETURN nextval('inbox_messages_seq_seq'::regclass);

-- The place of a delivery among the messages; null for one that is older than this column.
ALTER TABLE inbox_quarantine ADD COLUMN place bigint;
ALTER TABLE inbox_quarantine ALTER COLUMN place SET DEFAULT inbox_next_place();

-- Those of a type are found without a look at all the others. A type may be any text.
CREATE INDEX inbox_quarantine_unknown ON inbox_quarantine (endpoint, left(type, 255), seq)
  WHERE reason = 'unknown-type';

INSERT INTO inbox_schema (version, description) VALUES (5, 'adopt');
