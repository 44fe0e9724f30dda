package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.report.Results;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A transaction elsewhere is open for minutes, so that nothing that was deleted can be removed. */
record HeldTransaction() implements Workload {

  private static final int MINUTES = 3;

  @Override
  public String key() {
    return "F";
  }

  @Override
  public String title() {
    return "Drain while a transaction is held open";
  }

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    String database = session.lab().newDatabase();
    session.warmUp(Drain.usual(), true);
    measure(session, section, database, "before");
    try (Handle holder = Jdbi.open(database)) {
      holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      holder.select("SELECT pg_current_xact_id()::text").mapTo(String.class).one();
      long begin = System.nanoTime();
      for (int minute = 1; minute <= MINUTES; minute++) {
        long until = begin + (long) (Duration.ofMinutes(minute).toNanos() * session.scale());
        while (System.nanoTime() < until) {
          session.lab().run(Drain.usual(), database, session.messages() / 2, true);
        }
        measure(session, section, database, "after %d min".formatted(minute));
      }
      holder.execute("ROLLBACK");
    }
    session.lab().drop(database);
  }

  private static void measure(
      Session session, Results.Section section, String database, String name) throws Exception {
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      session.add(
          section,
          name,
          Drain.usual().contract(),
          repetition,
          session.lab().run(Drain.usual(), database, session.messages() / 2, true));
    }
  }
}
