package io.inbox4j.benchmarks.inbox;

import io.inbox4j.Inbox;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Retention;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;

/** A process that only handles: first what is there to warm up on, then, when told, the rest. */
public final class DrainProgram {

  private DrainProgram() {}

  /** The endpoint that a process warms up on. */
  static String warmUp(int process) {
    return "warm-up " + process;
  }

  public static void main(String[] args) throws Exception {
    String database = args[0];
    int warmUps = Integer.parseInt(args[2]);
    CountDownLatch warm = new CountDownLatch(warmUps);
    try (Inbox inbox = inbox(database, args[1], warm)) {
      inbox.startProcessing();
      warm.await();
    }
    say("ready");
    System.in.read();
    try (Inbox inbox = inbox(database, Drain.ENDPOINT, new CountDownLatch(0))) {
      inbox.startProcessing();
      System.in.read(); // a second line: everything is done
    }
    System.gc();
    System.gc();
    say("heap " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024 / 1024);
  }

  private static Inbox inbox(String database, String endpoint, CountDownLatch count) {
    return Inbox.builder()
        .store(JdbiInboxStore.builder(database).poolSize(Drain.POOL).build())
        .subscribe(endpoint, queue -> queue.on(OrderPlaced.class, Drain.handler(true)))
        .listener(Drain.counting(count))
        .retention(Retention.forever())
        .build();
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
