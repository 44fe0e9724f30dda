-- A migration as a later release may have one.
ALTER TABLE inbox_quarantine ADD COLUMN test_note text;

INSERT INTO inbox_migrations (version, description) VALUES (3, 'test quarantine');
