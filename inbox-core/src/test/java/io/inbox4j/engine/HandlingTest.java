package io.inbox4j.engine;

import static io.inbox4j.engine.Messages.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandlingTest {

  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void aMessageIsHandledOnceHoweverOftenItIsDelivered() {
    try (Service service = Service.handling(Service::effect)) {
      service.deliver(3);
      service.awaitAll("processed", 3);
      service.deliver(4);
      service.awaitAll("processed", 4);
      assertThat(service.effects()).containsExactly("0", "1", "2", "3");
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  @Test
  void aHandlerThatLeavesItsThreadInterruptedDoesNotEndTheWorker() {
    try (Service service =
        Service.handling((event, context) -> Thread.currentThread().interrupt())) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      service.deliver(3);
      service.awaitAll("processed", 3);
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  @Test
  void aHandlerIsToldWhatCame() {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    try (Service service = Service.handling((event, context) -> told.add(describe(context)))) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(told)
          .containsExactly("orders created " + id(0) + " 1 {} correlation shop false true");
    }
  }

  private static String describe(EventContext context) {
    return String.join(
        " ",
        context.endpoint(),
        context.type(),
        context.messageId().toString(),
        String.valueOf(context.attempt()),
        context.headers().toString(),
        context.correlationId(),
        context.source(),
        String.valueOf(context.redelivered()),
        String.valueOf(context.receivedAt().isAfter(Instant.EPOCH)));
  }

  @Test
  void whatAFailedHandlerDidIsUndoneAndTriedAgain() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          Service.effect(event, context);
                          if (context.attempt() < 3) {
                            throw new IllegalStateException("not yet");
                          }
                        })
                    .retry(RetryPolicy.immediate(5)))) {
      service.start().deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.effects()).containsExactly("0");
      assertThat(service.statuses()).containsExactly("processed 3");
      assertThat(service.heard.of("retried"))
          .containsExactly(
              "retried %s after attempt 1".formatted(id(0)),
              "retried %s after attempt 2".formatted(id(0)));
      await()
          .untilAsserted(
              () ->
                  assertThat(service.heard.of("processed"))
                      .containsExactly("processed %s in attempt 3".formatted(id(0))));
    }
  }

  @Test
  void afterTheLastAttemptTheMessageIsKeptWithItsErrorAndCanBeReplayed() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          Service.effect(event, context);
                          if (calls.incrementAndGet() <= 2) {
                            throw new IllegalStateException("no stock");
                          }
                        })
                    .retry(RetryPolicy.immediate(2)))) {
      service.start().deliver(1);
      service.awaitAll("dead", 1);
      assertThat(service.effects()).isEmpty();
      assertThat(service.errors().get(0))
          .startsWith("attempt 2 of 2 failed: java.lang.IllegalStateException: no stock");
      assertThat(service.inbox.deadLetters().replay(MessageFilter.all())).isEqualTo(1);
      service.awaitAll("processed", 1);
      assertThat(service.effects()).containsExactly("0");
      assertThat(service.heard.of("replayed")).hasSize(1);
    }
  }

  @Test
  void aFailingMessageLeavesItsNeighboursWithOneEffectAndOneOutcomeEach() {
    InMemoryInboxStore database = InMemoryInboxStore.create();
    Service.store(database, 100);
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
                                  Service.effect(event, context);
                                  if (event.n() % 10 == 5) {
                                    throw new IllegalStateException("unlucky");
                                  }
                                })
                            .retry(RetryPolicy.never())))) {
      service.start();
      service.awaitAll("processed", 90);
      service.awaitAll("dead", 10);
      assertThat(service.effects())
          .hasSize(90)
          .doesNotHaveDuplicates()
          .noneMatch(name -> name.endsWith("5"));
      assertThat(service.statuses()).containsOnly("processed 1", "dead 1");
      await().untilAsserted(() -> assertThat(service.heard.of("processed")).hasSize(90));
    }
  }

  @Test
  void aSwallowedErrorIsBlamedOnTheMessageThatSwallowedIt() {
    InMemoryInboxStore database = InMemoryInboxStore.create();
    Service.store(database, 30);
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(Created.class, HandlingTest::swallowAtSeventeen)
                            .retry(RetryPolicy.never())))) {
      service.start();
      service.awaitAll("processed", 29);
      assertThat(service.store.listDead(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(it -> assertThat(it.messageId()).isEqualTo(id(17)))
          .satisfies(it -> assertThat(it.error()).contains("swallowed"));
      assertThat(service.effects()).hasSize(29).doesNotHaveDuplicates();
    }
  }

  private static void swallowAtSeventeen(Created event, EventContext context) {
    Service.effect(event, context);
    if (event.n() == 17) {
      context.unwrap(InMemoryTransaction.class).abort(); // as a careless handler does
    }
  }

  @Test
  void anIsolatedHandlerNeverRunsAgainBecauseOfANeighbour() {
    InMemoryInboxStore database = InMemoryInboxStore.create();
    Service.store(database, 40);
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
                                  calls.incrementAndGet();
                                  Service.effect(event, context);
                                  if (event.n() == 20) {
                                    throw new IllegalStateException("unlucky");
                                  }
                                })
                            .isolated()
                            .retry(RetryPolicy.never())))) {
      service.start();
      service.awaitAll("processed", 39);
      service.awaitAll("dead", 1);
      assertThat(calls).hasValue(40);
      assertThat(service.effects()).hasSize(39).doesNotHaveDuplicates();
    }
  }

  @Test
  void anEventCanHaveARetryPolicyOfItsOwn() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(Created.class, HandlingTest::fail)
                    .on(Cancelled.class, HandlingTest::fail)
                    .retry(RetryPolicy.immediate(3))
                    .retry(Cancelled.class, RetryPolicy.never()))) {
      service.start();
      service.transport.deliver(
          Service.QUEUE,
          List.of(
              Messages.delivery("a", "created", "c", "s", "{\"n\":1}"),
              Messages.delivery("b", "cancelled", "c", "s", "{\"n\":2}")));
      service.awaitAll("dead", 2);
      assertThat(service.statuses()).containsExactly("dead 3", "dead 1");
    }
  }

  private static void fail(Object event, EventContext context) {
    throw new IllegalStateException("no");
  }

  @Test
  void aHandlerCanGiveUpOrAskForAnotherTime() {
    try (Service service =
        Service.handling(
            (event, context) -> {
              Service.effect(event, context);
              if (event.n() == 0) {
                throw DeadLetter.because("never placed");
              }
              throw RetryLater.after(Duration.ofHours(1), "being upgraded");
            })) {
      service.deliver(2);
      service.awaitAll("dead", 1);
      service.awaitAll("retrying", 1);
      assertThat(service.statuses()).containsExactly("dead 1", "retrying 1");
      assertThat(service.effects()).isEmpty();
      assertThat(service.store.listPending(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(
              it -> assertThat(it.dueAt()).isAfter(Instant.now().plus(Duration.ofMinutes(59))));
    }
  }

  @Test
  void anInterruptThatNobodyAskedForIsAFailureOfTheMessage() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          Service.effect(event, context);
                          if (event.n() == 1) {
                            throw new InterruptedException("by a library");
                          }
                          if (event.n() == 2) {
                            Thread.currentThread().interrupt();
                          }
                        })
                    .retry(RetryPolicy.immediate(2)))) {
      service.start().deliver(4);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 3);
      assertThat(service.effects()).containsExactly("0", "2", "3");
      assertThat(service.statuses())
          .containsExactly("processed 1", "dead 2", "processed 1", "processed 1");
    }
  }

  @Test
  void errorsCountAsFailuresAndTheWorkerGoesOn() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          switch (event.n()) {
                            case 0 -> throw new AssertionError("zero");
                            case 1 -> endless(1);
                            case 2 -> throw new NoClassDefFoundError("gone");
                            case 3 -> throw new Unspeakable();
                            default -> Service.effect(event, context);
                          }
                        })
                    .retry(RetryPolicy.immediate(2)))) {
      service.start().deliver(5);
      service.awaitAll("processed", 1);
      service.awaitAll("dead", 4);
      assertThat(service.statuses())
          .containsExactly("dead 2", "dead 2", "dead 2", "dead 2", "processed 1");
      assertThat(service.effects()).containsExactly("4");
    }
  }

  private static int endless(int n) {
    return n == Integer.MIN_VALUE ? 0 : endless(n + 1) + 1;
  }

  private static final class Unspeakable extends RuntimeException {
    @Override
    public String getMessage() {
      throw new IllegalStateException("there is nothing to say");
    }
  }

  @Test
  void aBodyThatDoesNotFitIsDeadAtOnce() {
    try (Service service = Service.handling(Service::effect)) {
      service.transport.deliver(
          Service.QUEUE,
          List.of(Messages.delivery("a", "created", "c", "s", "{\"n\":\"secret\"}")));
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).containsExactly("dead 1");
      assertThat(service.errors().get(0).lines().findFirst().orElseThrow())
          .contains("the body cannot be read", "'n'", "int")
          .doesNotContain("secret");
    }
  }

  @Test
  void listenersAreToldAfterTheCommitAndOneThatThrowsChangesNothing() {
    InMemoryInboxStore database = InMemoryInboxStore.create();
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox
                    .listener(
                        new InboxListener() {
                          @Override
                          public void processed(Processed event) {
                            seen.addAll(database.effects());
                            throw new IllegalStateException("a broken listener");
                          }

                          @Override
                          public void received(Received event) {
                            throw new IllegalStateException("a broken listener");
                          }
                        })
                    .subscribe(Service.QUEUE, Created.class, Service::effect))) {
      service.start().deliver(1);
      await().untilAsserted(() -> assertThat(seen).containsExactly("0"));
      service.deliver(2);
      service.awaitAll("processed", 2);
      assertThat(database.effects()).containsExactly("0", "1");
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(service.heard.lines())
          .contains("received " + id(0), "duplicate " + id(0), "connected " + Service.QUEUE);
    }
  }
}
