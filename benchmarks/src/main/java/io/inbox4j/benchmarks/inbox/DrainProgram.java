package io.inbox4j.benchmarks.inbox;

import io.inbox4j.Inbox;
import io.inbox4j.benchmarks.lab.Fleet;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Progress;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Retention;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;

/**
 * A process that only handles: from its start to its end one inbox, which warms up on messages of
 * an endpoint of its own, and drains the endpoint that is shared by all whenever that is not
 * paused.
 */
public final class DrainProgram {

  static final String WARM = "warm";
  static final String HEAP = "heap ";

  private DrainProgram() {}

  /** The endpoint that a process warms up on. */
  static String warmUp(int process) {
    return "warm-up " + process;
  }

  public static void main(String[] args) throws Exception {
    String database = args[0];
    CountDownLatch warm = new CountDownLatch(Integer.parseInt(args[1]));
    int process = Integer.parseInt(args[2]);
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.builder(database).poolSize(Drain.POOL).build())
            .subscribe(warmUp(process), queue -> queue.on(OrderPlaced.class, Drain.handler(true)))
            .subscribe(Drain.ENDPOINT, queue -> queue.on(OrderPlaced.class, Drain.handler(true)))
            .listener(new Counting(warm, Progress.reporting()))
            .retention(Retention.forever())
            .build()) {
      inbox.startProcessing();
      Progress.say(Fleet.STARTED);
      warm.await();
      Progress.say(WARM);
      System.in.read(); // the end
    }
    System.gc();
    System.gc();
    Progress.say(
        HEAP + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024 / 1024);
  }

  private record Counting(CountDownLatch warm, Progress progress) implements InboxListener {

    @Override
    public void processed(Processed event) {
      if (event.message().endpoint().equals(Drain.ENDPOINT)) {
        progress.handled(1);
      } else {
        warm.countDown();
      }
    }
  }
}
