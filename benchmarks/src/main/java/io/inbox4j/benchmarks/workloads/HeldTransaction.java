package io.inbox4j.benchmarks.workloads;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.benchmarks.report.Results;
import io.inbox4j.jdbi.JdbiInboxStore;
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
    try (HikariDataSource pool = pool(database)) {
      run(session, section, database, new OneStore(JdbiInboxStore.create(pool)));
    }
    session.lab().drop(database);
  }

  private static HikariDataSource pool(String database) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database);
    return pool;
  }

  private static void run(Session session, Results.Section section, String database, OneStore drain)
      throws Exception {
    measure(session, section, database, drain, "before");
    try (Handle holder = Jdbi.open(database)) {
      holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      holder.select("SELECT pg_current_xact_id()::text").mapTo(String.class).one();
      long begin = System.nanoTime();
      for (int minute = 1; minute <= MINUTES; minute++) {
        long until = begin + (long) (Duration.ofMinutes(minute).toNanos() * session.scale());
        while (System.nanoTime() < until) {
          session.lab().run(drain, database, session.messages() / 2, true);
        }
        measure(session, section, database, drain, "after %d min".formatted(minute));
      }
      holder.execute("ROLLBACK");
    }
  }

  private static void measure(
      Session session, Results.Section section, String database, OneStore drain, String name)
      throws Exception {
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      session.add(
          section,
          name,
          drain.contract(),
          repetition,
          session.lab().run(drain, database, session.messages() / 2, true));
    }
  }

  /**
   * A process that goes on: only one that starts has to look for what is pending from the start.
   */
  private record OneStore(JdbiInboxStore store) implements Contender {

    @Override
    public String name() {
      return "Inbox";
    }

    @Override
    public String contract() {
      return Drain.usual().contract();
    }

    @Override
    public void run(Trial trial) throws Exception {
      Drain.usual().run(trial, store);
    }
  }
}
