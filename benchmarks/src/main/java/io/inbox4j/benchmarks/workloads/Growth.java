package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.inbox.Ingest;
import io.inbox4j.benchmarks.inbox.Kept;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.report.Results;
import io.inbox4j.cli.InboxCommand;
import io.inbox4j.jdbi.JdbiInboxStore;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Arrays;
import org.jdbi.v3.core.Jdbi;
import picocli.CommandLine;

/** Tables that have grown, and a backlog. */
record Growth() implements Workload {

  private static final int[] KEPT = {10_000, 1_000_000, 10_000_000};
  private static final int BACKLOG = 1_000_000;
  private static final int LOOKS = 41;
  private static final String SIZE = "bytes on disk a kept message";
  private static final String STATUS = "inbox status ms";
  private static final String METRICS = "metrics of two endpoints ms";

  @Override
  public String key() {
    return "G";
  }

  @Override
  public String title() {
    return "With rows that are kept, and with a backlog";
  }

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    session.warmUp(Drain.usual(), true);
    session.warmUp(Ingest.usual(), false);
    String database = session.lab().newDatabase();
    int kept = 0;
    for (int level : KEPT) {
      int rows = session.scale() < 1 ? session.scaled(level) : level;
      System.out.printf("keeping %,d rows%n", rows);
      Kept.add(database, kept, rows);
      kept = rows;
      for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
        measure(
            session,
            section,
            Drain.usual(),
            "drain, %,d kept".formatted(level),
            database,
            repetition);
        measure(
            session,
            section,
            Ingest.usual(),
            "ingest, %,d kept".formatted(level),
            database,
            repetition);
        Jdbi.create(database).useHandle(it -> it.execute("TRUNCATE inbox_pending"));
      }
      Results.Row row = section.row("drain, %,d kept".formatted(level), "");
      row.figure(SIZE, bytesOfAMessage(database));
      timeOfLooking(row, database);
    }
    session.lab().drop(database);
    backlog(session, section);
  }

  /** With its place among the processed ones, and all indexes. */
  private static double bytesOfAMessage(String database) {
    return Jdbi.create(database)
        .withHandle(
            handle ->
                handle
                    .select(
                        "SELECT (pg_total_relation_size('inbox_messages')"
                            + " + (SELECT sum(pg_total_relation_size(relid))"
                            + " FROM pg_partition_tree('inbox_processed') WHERE isleaf))"
                            + " / (SELECT count(*) FROM inbox_messages)::float8")
                    .mapTo(Double.class)
                    .one());
  }

  /** What it takes to look: {@code inbox status} without the start of its JVM, and the metrics. */
  private static void timeOfLooking(Results.Row row, String database) {
    CommandLine inbox = InboxCommand.commandLine().setOut(new PrintWriter(Writer.nullWriter()));
    try (JdbiInboxStore store = JdbiInboxStore.connect(database)) {
      row.figure(
          STATUS,
          medianMillis(
              () -> {
                if (inbox.execute("status", "--json", "--jdbc", database) != 0) {
                  throw new IllegalStateException("inbox status has failed");
                }
              }));
      row.figure(
          METRICS,
          medianMillis(
              () -> {
                store.backlog(Queue.NAME);
                store.backlog(Kept.ENDPOINT);
              }));
    }
    System.out.printf("     inbox status and the metrics were looked at %d times%n", LOOKS);
  }

  private static double medianMillis(Runnable look) {
    double[] millis = new double[LOOKS];
    for (int i = 0; i < LOOKS; i++) {
      long begin = System.nanoTime();
      look.run();
      millis[i] = (System.nanoTime() - begin) / 1e6;
    }
    Arrays.sort(millis);
    return millis[LOOKS / 2];
  }

  private static void backlog(Session session, Results.Section section) throws Exception {
    String database = session.lab().newDatabase();
    int rows = session.scaled(BACKLOG);
    System.out.printf("a backlog of %,d messages%n", rows);
    Drain.usual().store(database, session.lab().orders(), rows);
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      measure(
          session,
          section,
          Drain.usual(),
          "drain, %,d pending".formatted(BACKLOG),
          database,
          repetition);
    }
    session.lab().drop(database);
  }

  private static void measure(
      Session session,
      Results.Section section,
      Contender contender,
      String name,
      String database,
      int repetition)
      throws Exception {
    boolean inserts = contender instanceof Drain;
    session.add(
        section,
        name,
        contender.contract(),
        repetition,
        session.lab().run(contender, database, session.messages() / 2, inserts));
  }
}
