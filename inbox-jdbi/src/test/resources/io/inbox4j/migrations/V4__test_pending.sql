-- Another one, of the table that is used the most.
ALTER TABLE inbox_pending ADD COLUMN test_note text;

INSERT INTO inbox_migrations (version, description) VALUES (4, 'test pending');
