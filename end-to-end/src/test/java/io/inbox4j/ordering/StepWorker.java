package io.inbox4j.ordering;

import io.inbox4j.Inbox;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jdbi.v3.core.Handle;

/** A process that takes steps: it counts them by walk, and notes each that comes out of turn. */
public final class StepWorker {

  static final String ENDPOINT = "ordering.steps";
  private static final double FAILURES = 0.003;

  private StepWorker() {}

  public static void main(String[] args) {
    Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(args[0]))
            .subscribe(
                ENDPOINT,
                queue ->
                    queue
                        .on(StepTaken.class, StepWorker::take)
                        .ordered()
                        .retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxAttempts(1_000)))
            .build();
    inbox.startProcessing();
    System.out.println("working");
  }

  static void take(StepTaken event, EventContext context) {
    Handle handle = context.unwrap(Handle.class);
    int moved =
        handle.execute(
            "UPDATE walks SET step = ? WHERE walk = ? AND step = ?",
            event.step(),
            event.walk(),
            event.step() - 1);
    if (moved != 1) {
      handle.execute("INSERT INTO violations VALUES (?, ?)", event.walk(), event.step());
    }
    if (ThreadLocalRandom.current().nextDouble() < FAILURES) {
      throw new IllegalStateException("a stumble");
    }
  }
}
