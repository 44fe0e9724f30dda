package io.inbox4j.benchmarks.peers;

import org.jdbi.v3.core.Jdbi;

/** Waits for tables. */
final class Rows {

  private Rows() {}

  /** Returns when a table has no such rows. */
  static void awaitNone(Jdbi jdbi, String tableAndCondition) throws InterruptedException {
    String query = "SELECT EXISTS (SELECT 1 FROM %s)".formatted(tableAndCondition);
    while (jdbi.withHandle(handle -> handle.select(query).mapTo(Boolean.class).one())) {
      Thread.sleep(20);
    }
  }
}
