package io.inbox4j.benchmarks.inbox;

import io.inbox4j.jdbi.JdbiInboxStore;
import org.jdbi.v3.core.Jdbi;

/** Messages that were processed a month ago. */
public final class Kept {

  public static final String ENDPOINT = "benchmark.old";

  private static final int A_STATEMENT = 500_000;

  private Kept() {}

  /** Adds those from this number on, with bodies of 1 KB and ids in the order of time. */
  public static void add(String database, int from, int to) {
    try (JdbiInboxStore store = JdbiInboxStore.connect(database)) {
      store.open();
    }
    Jdbi jdbi = Jdbi.create(database);
    for (int begin = from; begin < to; begin += A_STATEMENT) {
      int first = begin + 1;
      int last = Math.min(to, begin + A_STATEMENT);
      jdbi.useHandle(
          handle ->
              handle.execute(
                  "WITH stored AS (INSERT INTO inbox_messages (endpoint, message_id, type, body,"
                      + " redelivered, received_on_utc) SELECT ?,"
                      + " lpad(to_hex(n), 32, '0')::uuid, 'old',"
                      + " decode(repeat('78', 1024), 'hex'), false, now() - interval '30 days'"
                      + " FROM generate_series(?::int, ?::int) n RETURNING seq, received_on_utc)"
                      + " INSERT INTO inbox_processed SELECT seq, 1, received_on_utc FROM stored",
                  ENDPOINT,
                  first,
                  last));
      System.out.printf("  %,d%n", last);
    }
    jdbi.useHandle(
        handle -> {
          handle.execute("VACUUM ANALYZE");
          handle.execute("CHECKPOINT");
        });
  }
}
