package io.inbox4j.examples.demo;

import io.inbox4j.Inbox;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** The program of a worker process: it handles orders until its input ends, or it is killed. */
final class DemoWorker {

  /** What it prints when it has begun. */
  static final String WORKING = "working";

  /** What it prints for each message that another worker had in flight when it was killed. */
  static final String RECOVERED = "recovered";

  /** Small, so that both workers have something to do however few orders there are. */
  private static final int BATCH = 8;

  private final int pauseMillis;

  private DemoWorker(int pauseMillis) {
    this.pauseMillis = pauseMillis;
  }

  public static void main(String[] args) throws Exception {
    DemoWorker worker = new DemoWorker(Integer.parseInt(args[0]));
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(System.getenv(Servers.JDBC)))
            .subscribe(
                DemoQueue.NAME,
                queue ->
                    queue
                        .on(OrderPlaced.class, worker::writeInvoice)
                        .batchSize(BATCH)
                        .retry(RetryPolicy.exponential(Duration.ofMillis(250)).maxAttempts(4)))
            .listener(new Recoveries())
            .build()) {
      inbox.startProcessing();
      System.out.println(WORKING);
      // A pipe from the demo: it ends when the demo does, however that ends.
      while (System.in.read() >= 0) {}
    }
  }

  /** Fails, where the order is meant to, after the effect: what is undone must not show. */
  private void writeInvoice(OrderPlaced order, EventContext context) throws InterruptedException {
    context
        .unwrap(Handle.class)
        .execute(
            "INSERT INTO invoices VALUES (?, ?, ?)",
            order.number(),
            order.cents(),
            ProcessHandle.current().pid());
    Thread.sleep(pauseMillis);
    OrderPlan.Kind kind = OrderPlan.kindOf(order.number());
    if (kind == OrderPlan.Kind.POISON) {
      throw new IllegalStateException("order %d always fails".formatted(order.number()));
    }
    if (kind == OrderPlan.Kind.FLAKY && context.attempt() == 1) {
      throw new IllegalStateException("order %d fails the first time".formatted(order.number()));
    }
  }

  private static final class Recoveries implements InboxListener {
    @Override
    public void recovered(Recovered event) {
      System.out.println(RECOVERED);
    }
  }
}
