package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.InboxListener;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a listener throws, declared or not, stops nothing. */
@Timeout(60)
class ThrowingListenerTest {

  static Stream<Throwable> anything() {
    return Stream.of(
        new IOException("not declared, as Kotlin may throw it"),
        new InterruptedException("not declared either"),
        new InternalError("as the virtual machine throws it"));
  }

  @ParameterizedTest
  @MethodSource("anything")
  void leasedHandlingGoesOnThoughEveryCallThrows(Throwable failure) {
    try (Service service = listenedToBy(new Throwing(failure), SubscriptionBuilder::leased)) {
      deliver(service);
      service.awaitAll("processed", 20);
    }
  }

  @ParameterizedTest
  @MethodSource("anything")
  void transactionalHandlingGoesOnThoughEveryCallThrows(Throwable failure) {
    try (Service service = listenedToBy(new Throwing(failure), queue -> {})) {
      deliver(service);
      service.awaitAll("processed", 20);
    }
  }

  @ParameterizedTest
  @MethodSource("anything")
  void inlineHandlingGoesOnThoughEveryCallThrows(Throwable failure) {
    try (Service service = listenedToBy(new Throwing(failure), SubscriptionBuilder::inline)) {
      deliver(service);
      assertThat(service.heard.of("processed")).hasSize(20);
      assertThat(service.heard.of("received")).hasSize(20);
    }
  }

  /** On the thread of the test, which keeps an interrupt that a listener had. */
  private static void deliver(Service service) {
    service.deliver(20);
    Thread.interrupted();
  }

  @Test
  void healthIsWatchedOnThoughEveryChangeThrows() {
    try (Service service = listenedToBy(new Throwing(new InterruptedException()), queue -> {})) {
      service.inbox.control(Service.QUEUE).pause("anna", "to see");
      awaitPause(service, Health.Status.DEGRADED);
      service.inbox.control(Service.QUEUE).resume();
      awaitPause(service, Health.Status.UP);
    }
  }

  private static void awaitPause(Service service, Health.Status status) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                service.inbox.health().part("pause", Service.QUEUE).orElseThrow().status()
                    == status);
  }

  private static Service listenedToBy(
      InboxListener listener, Consumer<SubscriptionBuilder> options) {
    return Service.with(
            builder ->
                builder
                    .listener(listener)
                    .subscribe(
                        Service.QUEUE,
                        queue -> options.accept(queue.on(Created.class, (event, context) -> {}))))
        .start();
  }

  /** Throws at every call that the life of a message has. */
  private record Throwing(Throwable failure) implements InboxListener {

    @Override
    public void received(Received event) {
      Sneaky.raise(failure);
    }

    @Override
    public void batchStored(BatchStored event) {
      Sneaky.raise(failure);
    }

    @Override
    public void handled(Handled event) {
      Sneaky.raise(failure);
    }

    @Override
    public void batchHandled(BatchHandled event) {
      Sneaky.raise(failure);
    }

    @Override
    public void processed(Processed event) {
      Sneaky.raise(failure);
    }

    @Override
    public void healthChanged(HealthChanged event) {
      Sneaky.raise(failure);
    }
  }
}
