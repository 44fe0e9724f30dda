package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.Postpone;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Retention;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is kept of failed attempts, however a message is handled. */
class AttemptHistoryTest {

  private static final RetryPolicy THREE_AT_ONCE = RetryPolicy.immediate(3);

  private final Map<Integer, AtomicInteger> calls = new ConcurrentHashMap<>();

  @Test
  void aTransactionalHandlersFailuresAreKeptAfterItSucceeded() {
    succeedsInTheEnd(queue -> queue.on(Created.class, (event, context) -> failTwice(event.n())));
  }

  @Test
  void aLeasedHandlersFailuresAreKeptAfterItSucceeded() {
    succeedsInTheEnd(
        queue -> queue.leased().on(Created.class, (event, context) -> failTwice(event.n())));
  }

  @Test
  void anInlineHandlersFailuresAreKeptAfterItSucceeded() {
    succeedsInTheEnd(
        queue -> queue.inline().on(Created.class, (event, context) -> failTwice(event.n())));
  }

  @Test
  void aBatchHandlersFailuresAreKeptAfterItSucceeded() {
    succeedInTheEnd(
        1, // of several, a call that fails is repeated with half of them within the same attempt
        queue -> queue.onBatch(Created.class, (events, context) -> failTwice(events.get(0).n())));
  }

  private void succeedsInTheEnd(Consumer<SubscriptionBuilder> subscription) {
    succeedInTheEnd(2, subscription);
  }

  private void succeedInTheEnd(int messages, Consumer<SubscriptionBuilder> subscription) {
    try (Service service = retrying(subscription).start()) {
      service.deliver(messages);
      service.awaitAll("processed", messages);
      for (int n = 0; n < messages; n++) {
        List<FailedAttempt> attempts = attempts(service, n);
        assertThat(attempts).extracting(FailedAttempt::attempt).containsExactly(1, 2);
        assertThat(attempts)
            .allSatisfy(
                it -> {
                  assertThat(it.process()).isEqualTo("worker-1");
                  assertThat(it.errorClass()).isEqualTo(IllegalStateException.class.getName());
                  assertThat(it.error()).startsWith("java.lang.IllegalStateException: call ");
                  assertThat(it.error()).doesNotContain("\tat ");
                  assertThat(it.took()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
                });
      }
      assertThat(fingerprints(service, IntStream.range(0, messages).toArray()))
          .as("equal failures")
          .hasSize(1);
    }
  }

  @Test
  void differentFailuresHaveDifferentFingerprints() {
    try (Service service =
        retrying(
                queue ->
                    queue.on(
                        Created.class,
                        (event, context) -> {
                          if (event.n() == 0) {
                            throw DeadLetter.because("broken");
                          }
                          failAlways();
                        }))
            .start()) {
      service.deliver(2);
      service.awaitAll("dead", 2);
      assertThat(attempts(service, 0)).hasSize(1);
      assertThat(attempts(service, 1)).hasSize(3);
      assertThat(fingerprints(service, 0)).doesNotContainAnyElementsOf(fingerprints(service, 1));
    }
  }

  @Test
  void aTimeoutIsAFailedAttempt() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Service service =
        retrying(
                queue ->
                    queue
                        .leased()
                        .handlerTimeout(Duration.ofMillis(50))
                        .on(Created.class, (event, context) -> never.await()))
            .start()) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      assertThat(attempts(service, 0))
          .hasSize(3)
          .allSatisfy(
              it -> {
                assertThat(it.errorClass()).isEqualTo(TimeoutException.class.getName());
                assertThat(it.took()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
              });
    } finally {
      never.countDown();
    }
  }

  @Test
  void whatAHandlerPostponesHasNotFailed() {
    try (Service service =
        retrying(
                queue ->
                    queue.on(
                        Created.class,
                        (event, context) -> {
                          if (count(event.n()) < 3) {
                            throw Postpone.by(Duration.ofMillis(1), "not yet");
                          }
                        }))
            .start()) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(attempts(service, 0)).isEmpty();
    }
  }

  private static Service retrying(Consumer<SubscriptionBuilder> subscription) {
    Consumer<InboxBuilder> configuration =
        builder ->
            builder
                .instanceName("worker-1")
                .retention(Retention.forever())
                .defaults(all -> all.retry(THREE_AT_ONCE))
                .subscribe(Service.QUEUE, subscription);
    return Service.with(configuration);
  }

  private void failTwice(int n) {
    int call = count(n);
    if (call <= 2) {
      throw new IllegalStateException("call " + call);
    }
  }

  private static void failAlways() {
    throw new IllegalStateException("always");
  }

  private int count(int n) {
    return calls.computeIfAbsent(n, it -> new AtomicInteger()).incrementAndGet();
  }

  private static List<FailedAttempt> attempts(Service service, int n) {
    return service.inbox.attempts(Service.QUEUE, Messages.id(n));
  }

  private static Set<String> fingerprints(Service service, int... messages) {
    return Arrays.stream(messages)
        .boxed()
        .flatMap(n -> attempts(service, n).stream())
        .map(FailedAttempt::fingerprint)
        .collect(Collectors.toSet());
  }
}
