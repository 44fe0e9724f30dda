package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.inbox.Kept;
import io.inbox4j.benchmarks.report.Results;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Jdbi;

/** A retention job removes old messages beside the drain, until they are gone. */
record OldMessages() implements Workload {

  private static final int OLD = 5_000_000;

  /** Times the messages of other workloads: the retention job rests more than it works. */
  private static final int LONG_DRAIN = 4;

  @Override
  public String key() {
    return "retention";
  }

  @Override
  public String title() {
    return "Drain while a retention job removes 5 million old messages";
  }

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    session.warmUp(Drain.usual(), true);
    String database = session.lab().newDatabase();
    Kept.add(database, 0, session.scaled(OLD));
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      measure(session, section, database, "no retention job", repetition);
      AtomicBoolean over = new AtomicBoolean();
      Thread retention = new Thread(() -> remove(database, over), "retention");
      retention.start();
      measure(session, section, database, "retention job at work", repetition);
      over.set(true);
      retention.join();
    }
    long begin = System.nanoTime();
    remove(database, new AtomicBoolean());
    long left =
        Jdbi.create(database)
            .withHandle(
                it ->
                    it.select("SELECT count(*) FROM inbox_messages WHERE type = 'old'")
                        .mapTo(Long.class)
                        .one());
    Results.Row row = section.row("retention job at work", Drain.usual().contract());
    row.figure("old messages left", (double) left);
    row.figure("seconds for the rest, with nothing else to do", (System.nanoTime() - begin) / 1e9);
    session.lab().drop(database);
  }

  private static void measure(
      Session session, Results.Section section, String database, String name, int repetition)
      throws Exception {
    session.add(
        section,
        name,
        Drain.usual().contract(),
        repetition,
        session.lab().run(Drain.usual(), database, LONG_DRAIN * session.messages(), true));
  }

  private static void remove(String database, AtomicBoolean over) {
    try (JdbiInboxStore store = JdbiInboxStore.connect(database)) {
      store.open();
      RetentionReport report =
          store.retain(Set.of(Kept.ENDPOINT), Retention.days(7), false, soFar -> !over.get());
      System.out.printf("     %,d old messages removed in %s%n", report.removed(), report.took());
    }
  }
}
