-- The table of the example's handler, created when the database is.
CREATE TABLE IF NOT EXISTS invoices (
  order_id uuid    NOT NULL,
  total    numeric NOT NULL
);
