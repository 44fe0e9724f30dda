package io.inbox4j.examples.demo;

import io.inbox4j.examples.support.ChildProgram;
import io.inbox4j.examples.support.Servers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The worker processes. */
final class DemoWorkers implements AutoCloseable {

  private final DemoDatabase database;
  private final int pauseMillis;
  private final List<ChildProgram> working = new ArrayList<>();
  private final List<ChildProgram> all = new ArrayList<>();

  /**
   * @param pauseMillis how long a handler takes
   */
  DemoWorkers(DemoDatabase database, int pauseMillis) {
    this.database = database;
    this.pauseMillis = pauseMillis;
  }

  /** Starts another worker, and returns its process id. */
  long startOne() throws Exception {
    ChildProgram worker =
        ChildProgram.start(
            DemoWorker.class,
            List.of("-D" + DemoLog.PROPERTY + "=" + DemoLog.file()),
            Map.of(Servers.JDBC, database.url(name(all.size()))),
            String.valueOf(pauseMillis));
    working.add(worker);
    all.add(worker);
    return worker.pid();
  }

  void awaitWorking() throws Exception {
    for (ChildProgram worker : working) {
      worker.awaitLine(DemoWorker.WORKING);
    }
  }

  private static String name(int worker) {
    return "inbox-demo-worker-" + worker;
  }

  /** Whether the worker that was started first has messages in flight. */
  boolean isFirstInTheMiddle() {
    return database.isInTheMiddle(name(0));
  }

  /** Kills the worker that was started first, with SIGKILL, and returns its process id. */
  long killFirst() throws Exception {
    ChildProgram victim = working.remove(0);
    victim.kill();
    return victim.pid();
  }

  /** Fails if a worker has ended that nobody killed. */
  void check() {
    for (ChildProgram worker : working) {
      if (!worker.isAlive()) {
        throw new IllegalStateException(
            "worker %d ended by itself and printed %s".formatted(worker.pid(), worker.lines()));
      }
    }
  }

  /** How many messages were taken up that were in flight when their worker was killed. */
  long recovered() {
    return all.stream()
        .flatMap(worker -> worker.lines().stream())
        .filter(DemoWorker.RECOVERED::equals)
        .count();
  }

  @Override
  public void close() throws Exception {
    for (ChildProgram worker : all) {
      worker.close();
    }
  }
}
