package io.inbox4j.reliability.chaos;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The queues of a run: one for every way to handle messages, all of them in order. */
enum Walks {
  TRANSACTIONAL,
  LEASED,
  INLINE;

  static final Duration LEASE = Duration.ofSeconds(2);
  private static final int LEASED_CONCURRENCY = 20;
  private static final int LEASED_BATCH = 10;

  /** How many messages a process has in flight at most. */
  static final int MOST_LEASED = LEASED_CONCURRENCY + 2 * LEASED_BATCH;

  static List<String> queues() {
    return List.of(values()).stream().map(Walks::queue).toList();
  }

  String queue() {
    return "walks." + name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Subscribes as the application does, or as its old version did, which knew one event only. */
  void subscribe(SubscriptionBuilder subscription, boolean old) {
    if (!old) {
      subscription.on(TurnTaken.class, (event, context) -> take(event.asStep(), context));
    }
    subscription
        .on(StepTaken.class, this::take)
        .ordered()
        .topology(Topology.quorum().withSingleActiveConsumer())
        .prefetch(500)
        .pollInterval(Duration.ofMillis(200))
        .concurrency(2)
        .retry(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(5));
    switch (this) {
      case LEASED ->
          subscription.leased(LEASE).concurrency(LEASED_CONCURRENCY).batchSize(LEASED_BATCH);
      case INLINE -> subscription.inline();
      case TRANSACTIONAL -> {}
    }
  }

  /** One row a message, in the transaction of its outcome, in a table without a unique key. */
  private void take(StepTaken event, EventContext context) throws Exception {
    context.commitWith(
        transaction ->
            transaction
                .unwrap(Handle.class)
                .execute(
                    "INSERT INTO effects (endpoint, id, walk, step, digest) VALUES (?, ?, ?, ?, ?)",
                    context.endpoint(),
                    event.messageId(),
                    event.walk(),
                    event.step(),
                    event.digest()));
    Thread.sleep(1);
    Mischief.strike(event, context);
    Trouble.of(event).strike(context);
  }
}
