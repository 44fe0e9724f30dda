package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.retry.RetryPolicy;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that publish with ordering keys, several workers at once. */
@Timeout(60)
class KeyedPublishingTest {

  private static final int COUNT = 1_000;
  private static final int KEYS = 1_000;

  private final TestDatabase database = TestDatabase.fresh();

  /** What is published. */
  record Shipped(UUID messageId, int n) implements IntegrationEvent {}

  /** The keys share locks; a transaction takes all that it needs at once. */
  @Test
  void failuresInBetweenMakeNobodyWaitForEachOther() {
    Random random = new Random(4711);
    Set<Integer> failed = ConcurrentHashMap.newKeySet();
    Service.store(database, COUNT);
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(
                                Created.class,
                                (event, context) -> {
                                  for (int i = 0; i < 2; i++) {
                                    String key = "key " + random.nextInt(KEYS);
                                    context.publish(
                                        new Shipped(null, event.n()),
                                        PublishOptions.none().orderingKey(key));
                                  }
                                  if (event.n() % 50 == 7 && failed.add(event.n())) {
                                    throw new IllegalStateException("once");
                                  }
                                })
                            .retry(RetryPolicy.immediate(3))
                            .concurrency(4)))) {
      service.inbox.startProcessing();
      service.awaitAll("processed", COUNT);
      assertThat(database.count("SELECT count(*) FROM outbox_messages")).isEqualTo(2 * COUNT);
      assertThat(service.heard.of("interrupted")).isEmpty();
    }
  }
}
