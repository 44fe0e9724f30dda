package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.inbox4j.DeadLetters;
import io.inbox4j.Quarantine;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Action;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.transport.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people do with dead and quarantined messages, through the inbox. */
@Timeout(60)
class InterventionTest {

  private static final MessageFilter ALL = MessageFilter.all();

  @Test
  void whoDidWhatIsRecorded() {
    try (Service service = failing()) {
      service.deliver(2);
      service.awaitAll("dead", 2);
      DeadLetters dead = service.inbox.deadLetters();
      assertThat(dead.as("anna").replay(ALL)).isEqualTo(2);
      service.awaitAll("dead", 2);
      assertThat(dead.list(ALL, 10)).extracting("replays").containsExactly(1, 1);
      assertThat(dead.discard(ALL)).isEqualTo(2);
      String me = System.getProperty("user.name");
      assertThat(dead.history(ALL, 10))
          .extracting(Intervention::action, Intervention::by)
          .containsExactly(
              tuple(Action.DISCARD, me),
              tuple(Action.DISCARD, me),
              tuple(Action.REPLAY, "anna"),
              tuple(Action.REPLAY, "anna"));
    }
  }

  @Test
  void oneMessageCanBeChosenAmongEqualOnes() {
    try (Service service = failing()) {
      service.deliver(3);
      service.awaitAll("dead", 3);
      DeadLetters dead = service.inbox.deadLetters();
      long second = dead.list(ALL, 3).get(1).sequence();
      assertThat(dead.list(ALL.sequence(second), 3)).hasSize(1);
      assertThat(dead.discard(ALL.sequence(second))).isEqualTo(1);
      assertThat(dead.discard(ALL.sequence(second))).isZero();
      assertThat(dead.list(ALL, 3)).hasSize(2);
      assertThat(dead.history(ALL.sequence(second), 3)).hasSize(1);
      List<Delivery> unknown =
          List.of(
              Messages.delivery("m1", "unknown", "c", "s", "{}"),
              Messages.delivery("m2", "unknown", "c", "s", "{}"));
      service.transport.deliver(Service.QUEUE, unknown);
      Quarantine quarantine = service.inbox.quarantine();
      long first = quarantine.list(ALL, 1).get(0).sequence();
      assertThat(quarantine.discard(ALL.sequence(first))).isEqualTo(1);
      assertThat(quarantine.list(ALL, 3)).hasSize(1);
    }
  }

  @Test
  void everyPageIsDiscardedAndTold() {
    int count = 1_201;
    try (Service service = failing()) {
      service.deliver(count);
      service.awaitAll("dead", count);
      assertThat(service.inbox.deadLetters().discard(ALL)).isEqualTo(count);
      assertThat(service.inbox.deadLetters().discard(ALL)).isZero();
      List<String> inOrder =
          IntStream.range(0, count).mapToObj(n -> "discarded " + Messages.id(n)).toList();
      assertThat(service.heard.of("discarded")).isEqualTo(inOrder);
      service.awaitAll("discarded", count);
      service.deliver(1);
      assertThat(service.heard.of("duplicate")).hasSize(1);
    }
  }

  @Test
  void everyPageOfTheQuarantineIsDiscarded() {
    List<Delivery> unknown = new ArrayList<>();
    IntStream.range(0, 450)
        .forEach(n -> unknown.add(Messages.delivery("m" + n, "unknown", "c", "s", "{}")));
    try (Service service = failing()) {
      service.transport.deliver(Service.QUEUE, unknown);
      Quarantine quarantine = service.inbox.quarantine().as("anna");
      assertThat(quarantine.discard(ALL.endpoint("another"))).isZero();
      assertThat(quarantine.discard(ALL)).isEqualTo(450);
      assertThat(quarantine.list(ALL, 10)).isEmpty();
      assertThat(quarantine.history(ALL, 1_000))
          .hasSize(450)
          .allSatisfy(it -> assertThat(it.by()).isEqualTo("anna"))
          .first()
          .extracting(Intervention::messageId, Intervention::type)
          .containsExactly("m449", "unknown");
    }
  }

  @Test
  void aKeyThatWaitsForADeadMessageGoesOnAtOnceWhenItIsDiscarded() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Step.class, InterventionTest::takeUnlessFirst)
                        .ordered()
                        .whenDead(WhenDead.BLOCK_KEY)
                        .pollInterval(Duration.ofMinutes(10)))
            .start()) {
      service.transport.deliver(Service.QUEUE, List.of(step(1), step(2), step(3)));
      service.awaitAll("dead", 1);
      awaitIdle();
      assertThat(service.inbox.deadLetters().discard(ALL)).isEqualTo(1);
      service.awaitAll("processed", 2);
      assertThat(service.effects()).containsExactly("2", "3");
    }
  }

  @Test
  void whatComesBackByItselfIsRecordedAsTheInboxs() {
    InMemoryInboxStore database;
    try (Service service = failing()) {
      database = service.store;
      service.transport.deliver(
          Service.QUEUE, List.of(Messages.delivery("x", "cancelled", "c", "s", "{\"n\":1}")));
    }
    try (Service upgraded =
        Service.with(
                database,
                inbox ->
                    inbox.subscribe(
                        Service.QUEUE,
                        queue ->
                            queue
                                .on(Created.class, Service::effect)
                                .on(Cancelled.class, (event, context) -> {})))
            .start()) {
      upgraded.awaitAll("processed", 1);
      assertThat(upgraded.inbox.quarantine().history(ALL, 10))
          .singleElement()
          .extracting(Intervention::action, Intervention::by)
          .containsExactly(Action.REPLAY, "inbox");
    }
  }

  @Test
  void aNameThatSaysNothingIsRefused() {
    try (Service service = failing()) {
      String tooLong = "x".repeat(256);
      for (String name : List.of("", " ", tooLong)) {
        assertThatThrownBy(() -> service.inbox.deadLetters().as(name))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'" + name + "'")
            .hasMessageContaining("1 to 255 characters");
        assertThatThrownBy(() -> service.inbox.quarantine().as(name))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'" + name + "'");
      }
      assertThat(service.inbox.deadLetters().as("x".repeat(255)).discard(ALL)).isZero();
    }
  }

  /** Returns when the workers have nothing to do and wait to be woken. */
  private static void awaitIdle() {
    await().until(() -> workers().allMatch(InterventionTest::waitsToBeWoken));
  }

  private static Stream<StackTraceElement[]> workers() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(it -> it.getKey().getName().startsWith("inbox-worker-"))
        .map(Map.Entry::getValue);
  }

  private static boolean waitsToBeWoken(StackTraceElement[] stack) {
    return Stream.of(stack).anyMatch(it -> it.getClassName().endsWith(".WorkSignal"));
  }

  private static Service failing() {
    return Service.handling(
        (event, context) -> {
          throw DeadLetter.because("no stock");
        });
  }

  private static void takeUnlessFirst(Step step, EventContext context) {
    if (step.n() == 1) {
      throw DeadLetter.because("the first step fails");
    }
    Service.effect(context, String.valueOf(step.n()));
  }

  private static Delivery step(int n) {
    return Messages.delivery("a" + n, "step", "c", "s", "{\"walk\":\"a\",\"n\":%d}".formatted(n));
  }
}
