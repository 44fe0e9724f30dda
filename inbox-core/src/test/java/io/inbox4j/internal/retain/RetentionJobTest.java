package io.inbox4j.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.event.MessageIds;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The retention job in the background. */
@Timeout(60)
class RetentionJobTest {

  private static final String ENDPOINT = "orders";
  private static final Duration SOON = Duration.ofMillis(20);

  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private final InMemoryInboxStore store = InMemoryInboxStore.create(clock());

  /** The system's clock, ahead of it by some time. */
  private Clock clock() {
    return new Clock() {
      @Override
      public Instant instant() {
        return Clock.systemUTC().instant().plus(ahead.get());
      }

      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }
    };
  }

  private void processedAWeekAgo(int count) {
    List<ValidatedDelivery> events =
        IntStream.range(0, count).mapToObj(RetentionJobTest::event).toList();
    store.receive(ENDPOINT, events);
    try (WorkTransaction transaction = store.begin(ENDPOINT)) {
      transaction.commit(
          transaction.claim(Set.of("created"), count).stream()
              .<Outcome>map(it -> new Outcome.Processed(it.sequence()))
              .toList());
    }
    ahead.set(Duration.ofDays(8));
  }

  private static ValidatedDelivery event(int n) {
    UUID id = MessageIds.of("order", n);
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
    Delivery delivery =
        new Delivery(
            id.toString(), "created", "application/json", null, null, null, Map.of(), body, false);
    return new ValidatedDelivery.Event(delivery, null, id, "created");
  }

  private long messages() {
    return store.messages().size();
  }

  /** The store, with something done first whenever this method of it is called. */
  private InboxStore before(String called, Runnable first) {
    return (InboxStore)
        Proxy.newProxyInstance(
            InboxStore.class.getClassLoader(),
            new Class<?>[] {InboxStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(called)) {
                first.run();
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void itGoesOnAfterAFailure() {
    processedAWeekAgo(5);
    store.crash();
    AtomicInteger declared = new AtomicInteger();
    RetentionJob retentionJob =
        new RetentionJob(
            before("declareRetention", declared::incrementAndGet),
            Set.of(ENDPOINT),
            Retention.days(7),
            SOON,
            SOON);
    retentionJob.start();
    await().until(() -> declared.get() > 2); // at the start, and in runs that fail
    store.restart();
    await().until(() -> messages() == 0);
    retentionJob.close();
  }

  @Test
  void itGoesOnAfterAnErrorAndAfterAnInterrupt() {
    processedAWeekAgo(5);
    AtomicInteger calls = new AtomicInteger();
    InboxStore failing =
        before(
            "retain",
            () -> {
              switch (calls.incrementAndGet()) {
                case 1 -> throw new InternalError("of the virtual machine");
                case 2 -> Thread.currentThread().interrupt();
                default -> {}
              }
            });
    RetentionJob retentionJob =
        new RetentionJob(failing, Set.of(ENDPOINT), Retention.days(7), SOON, SOON);
    retentionJob.start();
    await().until(() -> messages() == 0);
    retentionJob.close();
  }

  @Test
  void whatIsKeptForeverIsLeftAlone() {
    processedAWeekAgo(5);
    AtomicInteger declared = new AtomicInteger();
    RetentionJob retentionJob =
        new RetentionJob(
            before("declareRetention", declared::incrementAndGet),
            Set.of(ENDPOINT),
            Retention.forever(),
            SOON,
            SOON);
    retentionJob.start();
    await().until(() -> declared.get() > 3); // at the start, and in every run
    retentionJob.close();
    assertThat(messages()).isEqualTo(5);
  }
}
