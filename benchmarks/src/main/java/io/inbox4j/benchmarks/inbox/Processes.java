package io.inbox4j.benchmarks.inbox;

import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Drains in processes of their own.
 *
 * @param heap told the megabytes of heap that each has after the drain
 */
public record Processes(int count, List<String> jvmOptions, AtomicLong heap) implements Contender {

  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final int MAX_WARM_UP = 30_000;

  public static Processes count(int count) {
    return new Processes(count, List.of("-Xmx256m"), new AtomicLong());
  }

  @Override
  public String name() {
    return count == 1 ? "1 process" : count + " processes";
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public void run(Trial trial) throws Exception {
    try (JdbiInboxStore store = JdbiInboxStore.connect(trial.database())) {
      store.open();
      int warmUp = Math.min(MAX_WARM_UP, trial.messages());
      for (int i = 0; i < count; i++) {
        Drain.fill(store, DrainProgram.warmUp(i), trial.lab().orders(), warmUp, () -> null);
      }
      List<ChildProcess> processes = new ArrayList<>();
      try {
        for (int i = 0; i < count; i++) {
          processes.add(
              ChildProcess.start(
                  jvmOptions,
                  DrainProgram.class,
                  trial.database(),
                  DrainProgram.warmUp(i),
                  Integer.toString(warmUp)));
        }
        processes.forEach(it -> it.awaitLine("ready", DEADLINE));
        trial.jdbi().useHandle(it -> it.execute("TRUNCATE effects"));
        Drain.fill(store, Drain.ENDPOINT, trial.lab().orders(), trial.messages(), () -> null);
        trial.measureElsewhere(
            () -> {
              processes.forEach(it -> it.send(""));
              awaitDrained(trial.jdbi());
            });
        for (ChildProcess process : processes) {
          process.send("");
          String line = process.awaitLine("heap ", DEADLINE);
          heap.set(Long.parseLong(line.substring("heap ".length())));
        }
      } finally {
        processes.forEach(ChildProcess::close);
      }
    }
  }

  private static void awaitDrained(Jdbi jdbi) throws InterruptedException {
    try (Handle handle = jdbi.open()) {
      while (isPending(handle)) {
        Thread.sleep(10);
      }
    }
  }

  /** Looks at the last that are claimed: the first ones are gone, and would be walked over. */
  private static boolean isPending(Handle handle) {
    return handle
        .select(
            "SELECT seq FROM inbox_pending WHERE endpoint = ? ORDER BY lane DESC, seq DESC LIMIT 1",
            Drain.ENDPOINT)
        .mapTo(Long.class)
        .findOne()
        .isPresent();
  }
}
