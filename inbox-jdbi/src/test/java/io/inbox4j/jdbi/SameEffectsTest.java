package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.handler.Postpone;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same input has the same effects, in whatever transaction handlers run, whatever fails. */
@Timeout(120)
@Tag("slow")
class SameEffectsTest {

  /** How handlers run. */
  enum Mode {
    TRANSACTIONAL,
    ISOLATED,
    INLINE,
    LEASED;

    SubscriptionBuilder choose(SubscriptionBuilder queue) {
      return switch (this) {
        case TRANSACTIONAL -> queue;
        case ISOLATED -> queue.isolated();
        case INLINE -> queue.inline();
        case LEASED -> queue.leased(Duration.ofSeconds(2));
      };
    }
  }

  /** What a handler does besides its effect, or instead. */
  private enum Fault {
    NONE,
    FAIL_ONCE,
    FAIL_ALWAYS,
    GIVE_UP,
    RETRY_LATER,
    POSTPONE,
    ERROR,
    STACK,
    BAD_SQL,
    SWALLOWED_SQL,
    LOST_CONNECTION,
    COMMIT_REFUSED;

    static Fault of(int n) {
      return values()[n % values().length];
    }

    boolean endsInDeath() {
      return this == FAIL_ALWAYS || this == GIVE_UP || this == COMMIT_REFUSED;
    }
  }

  private final Set<Integer> tried = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @EnumSource
  void withoutFaults(Mode mode) {
    try (Service service = service(mode, queue -> {}, (event, context) -> effect(event, context))) {
      service.transport.deliver(Service.QUEUE, Service.deliveries(200));
      service.awaitAll("processed", 200);
      assertThat(service.database.effects()).containsExactlyInAnyOrderElementsOf(names(0, 200));
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void withDuplicatesInOneBatchAndInMany(Mode mode) {
    try (Service service = service(mode, queue -> {}, (event, context) -> effect(event, context))) {
      List<Delivery> twice = new ArrayList<>(Service.deliveries(100));
      twice.addAll(Service.deliveries(100));
      Collections.shuffle(twice, new Random(7));
      service.transport.deliver(Service.QUEUE, twice);
      twice.forEach(one -> service.transport.deliver(Service.QUEUE, List.of(one)));
      service.awaitAll("processed", 100);
      assertThat(service.database.effects()).containsExactlyInAnyOrderElementsOf(names(0, 100));
    }
  }

  @ParameterizedTest
  @EnumSource
  void withEveryKindOfFaultAtOnce(Mode mode) {
    int count = 20 * Fault.values().length;
    try (Service service = service(mode, queue -> {}, this::faulty)) {
      service.database.execute(
          "ALTER TABLE effects ADD CONSTRAINT refused"
              + " EXCLUDE USING btree (name WITH =) WHERE (name LIKE 'refused%') DEFERRABLE INITIALLY DEFERRED");
      List<Delivery> all = new ArrayList<>(Service.deliveries(count));
      Collections.shuffle(all, new Random(11));
      for (int from = 0; from < count; from += 17) {
        service.transport.deliver(Service.QUEUE, all.subList(from, Math.min(count, from + 17)));
      }
      int dead = (int) IntStream.range(0, count).filter(n -> Fault.of(n).endsInDeath()).count();
      service.awaitAll("dead", dead);
      service.awaitAll("processed", count - dead);
      assertThat(service.database.effects())
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, count)
                  .filter(n -> !Fault.of(n).endsInDeath())
                  .mapToObj(String::valueOf)
                  .toList());
    }
  }

  @ParameterizedTest
  @EnumSource
  void withOrderedKeysAndFailuresAmongThem(Mode mode) {
    try (Service service =
        service(
            mode,
            queue -> queue.orderedBy(Created.class, event -> "key " + event.n() % 10),
            (event, context) -> {
              if (event.n() % 7 == 0 && tried.add(event.n())) {
                throw new IllegalStateException("once");
              }
              effect(event, context);
            })) {
      for (int from = 0; from < 200; from += 20) {
        service.transport.deliver(
            Service.QUEUE, Service.deliveries(from + 20).subList(from, from + 20));
      }
      service.awaitAll("processed", 200);
      for (int key = 0; key < 10; key++) {
        int rest = key;
        assertThat(
                service.database.texts(
                    "SELECT name FROM effects WHERE name::int % 10 = ? ORDER BY n", key))
            .as("key %d", key)
            .containsExactlyElementsOf(
                IntStream.range(0, 200)
                    .filter(n -> n % 10 == rest)
                    .mapToObj(String::valueOf)
                    .toList());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void withBadInputAmongGood(Mode mode) {
    try (Service service = service(mode, queue -> {}, (event, context) -> effect(event, context))) {
      service.transport.deliver(
          Service.QUEUE,
          List.of(
              Messages.event(0).delivery(),
              Messages.event(1, "{").delivery(),
              Messages.event(2, "{\"n\":\"two\"}").delivery(),
              Messages.delivery("x", "nobody-knows", "c", "shop", "{}"),
              Messages.event(4).delivery()));
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(service.database.effects()).containsExactly("0", "4");
      assertThat(service.database.count("SELECT count(*) FROM inbox_quarantine")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void withDelays(Mode mode) {
    try (Service service = service(mode, queue -> {}, (event, context) -> effect(event, context))) {
      Delivery now = Messages.event(0).delivery();
      Delivery later =
          new Delivery(
              Messages.id(1).toString(),
              Messages.TYPE,
              null,
              null,
              null,
              null,
              Map.of("x-not-before", System.currentTimeMillis() + 1_500),
              "{\"n\":1}".getBytes(StandardCharsets.UTF_8),
              false);
      service.transport.deliver(Service.QUEUE, List.of(later, now));
      service.awaitAll("processed", 1);
      assertThat(service.database.effects()).containsExactly("0");
      service.awaitAll("processed", 2);
      assertThat(service.database.effects()).containsExactly("0", "1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void withConflictsBetweenTransactions(Mode mode) {
    try (Service service =
        service(
            mode,
            queue -> queue.concurrency(4).batchSize(8),
            (event, context) -> {
              context.commitWith(
                  transaction -> {
                    Handle handle = transaction.unwrap(Handle.class);
                    handle.execute("SET LOCAL deadlock_timeout = '20ms'");
                    int first = event.n() % 2;
                    handle.execute("UPDATE counters SET n = n + 1 WHERE id = ?", first);
                    handle.execute("UPDATE counters SET n = n + 1 WHERE id = ?", 1 - first);
                  });
              effect(event, context);
            })) {
      Stream.of(0, 1, 2, 3)
          .parallel()
          .forEach(
              part ->
                  service.transport.deliver(
                      Service.QUEUE, Service.deliveries(80).subList(20 * part, 20 * part + 20)));
      service.awaitAll("processed", 80);
      assertThat(service.database.effects()).containsExactlyInAnyOrderElementsOf(names(0, 80));
      assertThat(service.database.count("SELECT min(n) FROM counters")).isEqualTo(80);
      assertThat(service.database.count("SELECT max(n) FROM counters")).isEqualTo(80);
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  /** Does what the number of the event says. */
  private void faulty(Created event, EventContext context) throws Exception {
    boolean first = tried.add(event.n());
    effect(event, context);
    switch (Fault.of(event.n())) {
      case NONE -> {}
      case FAIL_ONCE -> failIf(first, new IllegalStateException("once"));
      case FAIL_ALWAYS -> throw new IllegalStateException("always");
      case GIVE_UP -> throw DeadLetter.because("no use");
      case RETRY_LATER -> failIf(first, RetryLater.after(Duration.ofMillis(20), "later"));
      case POSTPONE -> failIf(first, Postpone.by(Duration.ofMillis(20), "too early"));
      case ERROR -> {
        if (first) {
          throw new AssertionError("once");
        }
      }
      case STACK -> {
        if (first) {
          recurse(0);
        }
      }
      case BAD_SQL ->
          context.commitWith(
              transaction -> {
                if (first) {
                  transaction.unwrap(Handle.class).execute("SELECT nonsense");
                }
              });
      case SWALLOWED_SQL ->
          context.commitWith(
              transaction -> {
                if (first) {
                  swallow(transaction);
                }
              });
      case LOST_CONNECTION ->
          context.commitWith(
              transaction -> {
                if (tried.add(-1 - event.n())) {
                  transaction
                      .unwrap(Handle.class)
                      .execute("SELECT pg_terminate_backend(pg_backend_pid())");
                }
              });
      case COMMIT_REFUSED ->
          context.commitWith(
              transaction -> {
                TestDatabase.effect(transaction.unwrap(Handle.class), "refused");
                TestDatabase.effect(transaction.unwrap(Handle.class), "refused");
              });
    }
  }

  private static void failIf(boolean first, Exception failure) throws Exception {
    if (first) {
      throw failure;
    }
  }

  private static int recurse(int depth) {
    return depth < 0 ? 0 : recurse(depth + 1) + 1;
  }

  private static void swallow(EventTransaction transaction) {
    try {
      transaction.unwrap(Handle.class).execute("SELECT nonsense");
    } catch (RuntimeException expected) {
      // and goes on as if nothing had happened
    }
  }

  private static void effect(Created event, EventContext context) throws Exception {
    context.commitWith(
        transaction ->
            TestDatabase.effect(transaction.unwrap(Handle.class), String.valueOf(event.n())));
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(String::valueOf).toList();
  }

  private static Service service(
      Mode mode, Consumer<SubscriptionBuilder> options, EventHandler<Created> handler) {
    Service service =
        Service.subscribing(
            queue ->
                options.accept(
                    mode.choose(
                        queue
                            .on(Created.class, handler)
                            .retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxAttempts(3)))));
    service.database.execute(
        "ALTER TABLE effects ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY");
    service.database.execute("CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL)");
    service.database.execute("INSERT INTO counters VALUES (0, 0), (1, 0)");
    service.start();
    await().until(() -> !service.heard.of("connected").isEmpty());
    return service;
  }
}
