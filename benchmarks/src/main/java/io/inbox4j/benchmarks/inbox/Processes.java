package io.inbox4j.benchmarks.inbox;

import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Fleet;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.jdbi.JdbiInboxStore;
import java.util.List;

/**
 * Drains in processes of their own, which are warm: each has compiled its code on messages of its
 * own, and then all of them have drained a backlog together, with the connections that they go on
 * to use. The time begins when the endpoint, which is paused until then, is resumed.
 */
public record Processes(int count) implements Contender {

  public static final String HEAP = "heap MB";

  private static final String CONNECTIONS =
      "SELECT count(*) FROM pg_stat_activity"
          + " WHERE datname = current_database() AND application_name = 'inbox'";

  private static final List<String> JVM_OPTIONS = List.of("-Xmx256m");
  private static final int WARM_UP = 30_000;
  private static final int WARM_UP_TOGETHER = 10_000;

  /** With fewer, the first moments and the last ones, when not all have work, count too much. */
  private static final int MIN_MESSAGES = 100_000;

  @Override
  public String name() {
    return count == 1 ? "1 process" : count + " processes";
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public int minMessages() {
    return MIN_MESSAGES;
  }

  @Override
  public boolean warmsUp() {
    return true;
  }

  @Override
  public void run(Trial trial) throws Exception {
    try (JdbiInboxStore store = JdbiInboxStore.connect(trial.database())) {
      store.open();
      store.pause(Drain.ENDPOINT, "benchmark", "not everything is ready");
      int warmUp = Math.min(WARM_UP, trial.messages());
      for (int i = 0; i < count; i++) {
        fill(store, DrainProgram.warmUp(i), trial, warmUp);
      }
      try (Fleet fleet =
          Fleet.start(
              count, JVM_OPTIONS, DrainProgram.class, trial.database(), Integer.toString(warmUp))) {
        fleet.await(DrainProgram.WARM);
        int together = count * Math.min(WARM_UP_TOGETHER, trial.messages());
        fill(store, Drain.ENDPOINT, trial, together);
        store.resume(Drain.ENDPOINT);
        fleet.awaitHandled(together);
        store.pause(Drain.ENDPOINT, "benchmark", "not everything is stored");
        trial.jdbi().useHandle(it -> it.execute("TRUNCATE effects"));
        long before = number(trial, "SELECT max(seq) FROM inbox_messages");
        fill(store, Drain.ENDPOINT, trial, trial.messages());
        long connections = number(trial, CONNECTIONS);
        trial.measureElsewhere(
            () -> {
              store.resume(Drain.ENDPOINT);
              fleet.awaitHandled(together + trial.messages());
            });
        trial.figure("new connections", (double) (number(trial, CONNECTIONS) - connections));
        trial.figure("messages a transaction", batchSince(trial, before));
        fleet.send("end");
        trial.figure(
            HEAP,
            fleet.await(DrainProgram.HEAP).stream()
                .mapToDouble(Double::parseDouble)
                .max()
                .orElseThrow());
      }
    }
  }

  private static void fill(JdbiInboxStore store, String endpoint, Trial trial, int messages) {
    Drain.fill(store, endpoint, trial.lab().orders(), messages, () -> null);
  }

  private static long number(Trial trial, String query) {
    return trial.jdbi().withHandle(handle -> handle.select(query).mapTo(Long.class).one());
  }

  /** How many messages a transaction has completed on average, of those after this one. */
  private static double batchSince(Trial trial, long sequence) {
    return trial
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .select(
                        "SELECT count(*)::float8 / count(DISTINCT xmin::text)"
                            + " FROM inbox_processed WHERE seq > ?",
                        sequence)
                    .mapTo(Double.class)
                    .one());
  }
}
