package io.inbox4j.benchmarks.inbox;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * From the queue through the tables and a handler, in one process.
 *
 * @param troubleOneIn one in so many messages fails at its first attempt, and another one in so
 *     many is published twice; 0 for none
 */
public record EndToEnd(String name, Consumer<SubscriptionBuilder> handling, int troubleOneIn)
    implements Contender {

  private static final int TROUBLE_ONE_IN = 100;

  /** As it comes. */
  public static EndToEnd usual() {
    return new EndToEnd("Inbox", queue -> queue.on(OrderPlaced.class, Drain::insert), 0);
  }

  /** With a handler that takes all messages that a worker has in flight. */
  public static EndToEnd inBatches() {
    return new EndToEnd(
        Drain.IN_BATCHES, queue -> queue.onBatch(OrderPlaced.class, Drain::insertAll), 0);
  }

  /** Handled in the transaction that stores. */
  public static EndToEnd inline() {
    return new EndToEnd(
        "Inbox, inline", queue -> queue.on(OrderPlaced.class, Drain::insert).inline(), 0);
  }

  /** One percent failures, and one percent duplicates. */
  public static EndToEnd troubled() {
    return new EndToEnd(
        "1 % fail once, 1 % come twice",
        queue ->
            queue
                .on(OrderPlaced.class, EndToEnd::insertOrFail)
                .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(3)),
        TROUBLE_ONE_IN);
  }

  public EndToEnd called(String other) {
    return new EndToEnd(other, handling, troubleOneIn);
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public void run(Trial trial) throws Exception {
    trial.lab().queue().fill(trial.messages(), troubleOneIn);
    CountDownLatch all = new CountDownLatch(trial.messages());
    try (Inbox inbox = inbox(trial, Drain.counting(all))) {
      trial.measure(
          () -> {
            inbox.start();
            all.await();
          });
    }
  }

  /** An inbox that has its tables, and does nothing yet. */
  public Inbox inbox(Trial trial, InboxListener listener) {
    Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.builder(trial.database()).poolSize(Drain.POOL).build())
            .transport(RabbitTransport.connect(trial.lab().amqpUri()))
            .subscribe(Queue.NAME, queue -> handling.accept(queue.topology(Topology.existing())))
            .listener(listener)
            .build();
    inbox.open(); // creating tables is not what is measured
    return inbox;
  }

  private static void insertOrFail(OrderPlaced event, EventContext context) {
    Drain.insert(event, context);
    if (context.attempt() == 1
        && event.messageId().getLeastSignificantBits() % TROUBLE_ONE_IN == 0) {
      throw new IllegalStateException("fails once");
    }
  }
}
