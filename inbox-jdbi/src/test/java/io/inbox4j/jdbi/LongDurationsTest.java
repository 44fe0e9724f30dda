package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The longest durations that are accepted break nothing. */
@Timeout(60)
class LongDurationsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestDatabase database = TestDatabase.fresh();
  private final InMemoryTransport transport = InMemoryTransport.create();

  static Stream<Consumer<SubscriptionBuilder>> modes() {
    return Stream.of(
        queue -> {},
        SubscriptionBuilder::inline,
        queue -> queue.leased(Duration.ofDays(1)).handlerTimeout(Duration.ofDays(30)));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void messagesAreProcessedAndRetriedWithTheLongestDurations(Consumer<SubscriptionBuilder> mode) {
    try (Inbox inbox =
        Inbox.builder()
            .store(
                JdbiInboxStore.builder(database.dataSource())
                    .idleTimeout(Duration.ofDays(1))
                    .build())
            .transport(transport)
            .maxTransactionAge(Duration.ofDays(366))
            .closeDeadline(Duration.ofDays(1))
            .subscribe(
                Service.QUEUE,
                mode.andThen(
                    queue ->
                        queue
                            .on(
                                Created.class,
                                (event, context) -> {
                                  if (event.n() == 1) {
                                    throw new IllegalStateException("tried again in 100 years");
                                  }
                                })
                            .pollInterval(Duration.ofHours(1))
                            .maxLag(Duration.ofDays(366))
                            .maxDelay(Duration.ofDays(36_500))
                            .circuitBreaker(
                                CircuitBreaker.ofDefaults()
                                    .window(Duration.ofDays(1))
                                    .pause(Duration.ofDays(1)))
                            .retry(
                                RetryPolicy.exponential(Duration.ofDays(36_500))
                                    .factor(1_000)
                                    .jitter(1))))
            .build()) {
      inbox.start();
      transport.deliver(Service.QUEUE, Service.deliveries(3));
      await()
          .atMost(PATIENCE)
          .until(() -> database.count("SELECT count(*) FROM inbox_processed") == 2);
      await()
          .atMost(PATIENCE)
          .until(() -> database.count("SELECT count(*) FROM inbox WHERE status = 'retrying'") == 1);
      transport.deliver(Service.QUEUE, Service.deliveries(5).subList(3, 5));
      await()
          .atMost(PATIENCE)
          .until(() -> database.count("SELECT count(*) FROM inbox_processed") == 4);
    }
  }

  @Test
  void anIdleTimeoutThatTheServerDoesNotKnowIsRefused() {
    assertThatThrownBy(
            () -> JdbiInboxStore.builder(database.dataSource()).idleTimeout(Duration.ofDays(30)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("idleTimeout is PT720H; expected 100 ms to 1 day");
  }
}
