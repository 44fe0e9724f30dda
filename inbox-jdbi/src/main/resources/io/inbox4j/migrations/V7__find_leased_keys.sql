-- Messages with an ordering key that are being handled outside a transaction. No other message of
-- such a key may be, so every claim from a lane looks for them; there are few.
CREATE INDEX inbox_pending_leased ON inbox_pending (endpoint, ordering_key)
  WHERE lease IS NOT NULL AND ordering_key IS NOT NULL;

INSERT INTO inbox_schema (version, description) VALUES (7, 'find leased keys');
