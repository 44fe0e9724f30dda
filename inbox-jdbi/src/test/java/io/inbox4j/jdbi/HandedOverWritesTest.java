package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.atIndex;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.engine.Logged;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that handlers hand over instead of executing them. */
@Tag("slow")
@Timeout(60)
class HandedOverWritesTest {

  private static final String EFFECT = "INSERT INTO effects VALUES (?)";
  private static final int COUNT = 40;

  /** As many as a worker takes at first. */
  private static final int FIRST = 8;

  private final TestDatabase database = TestDatabase.fresh();

  private static void mode(SubscriptionBuilder queue, String mode) {
    switch (mode) {
      case "leased" -> queue.leased();
      case "inline" -> queue.inline();
      default -> {}
    }
  }

  /** A service on the database, with as many messages in a transaction as there are. */
  private Service service(EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    return Service.with(
        database,
        inbox ->
            inbox.subscribe(
                Service.QUEUE,
                queue -> {
                  queue.on(Created.class, handler).retry(RetryPolicy.never());
                  options.accept(queue);
                }));
  }

  /** Handles this many messages, which were all there before. */
  private Service handling(int count, EventHandler<Created> handler) {
    Service.store(database, count);
    return service(handler, queue -> {}).start();
  }

  private static void effect(EventTransaction transaction, Created event) {
    transaction.write(EFFECT, String.valueOf(event.n()));
  }

  private List<String> inOrder() {
    return database.texts("SELECT name FROM effects ORDER BY ctid");
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(String::valueOf).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatIsHandedOverCommitsOnceWithTheOutcome(String mode) {
    database.execute("ALTER TABLE effects ADD COLUMN by xid8 DEFAULT pg_current_xact_id()");
    try (Service service =
        service(
            (event, context) -> context.write("INSERT INTO effects VALUES (?)", "" + event.n()),
            queue -> mode(queue, mode))) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT);
      assertThat(database.effects()).containsExactlyInAnyOrderElementsOf(names(0, COUNT));
      assertThat(
              database.count(
                  "SELECT count(*) FROM effects"
                      + " WHERE by::xid NOT IN (SELECT xmin FROM inbox_processed)"))
          .as("effects of another transaction than their outcome")
          .isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void aFailingStatementIsTracedToItsMessageAndItsNeighboursKeepTheirs(String mode) {
    database.execute("ALTER TABLE effects ADD CONSTRAINT no_seven CHECK (name <> '7')");
    try (Service service =
        service((event, context) -> effect(context, event), queue -> mode(queue, mode))) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT - 1);
      service.awaitAll("dead", 1);
      assertThat(database.effects()).hasSize(COUNT - 1).doesNotContain("7").doesNotHaveDuplicates();
      assertThat(database.texts("SELECT message_id::text FROM inbox WHERE status = 'dead'"))
          .containsExactly(Messages.id(7).toString());
      assertThat(database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .singleElement()
          .asString()
          .contains(EFFECT, "no_seven");
    }
  }

  @Test
  void theLogOfAFailureNamesTheErrorAndShowsNoArgument() {
    database.execute("ALTER TABLE effects ADD CONSTRAINT no_secret CHECK (name <> 'secret')");
    try (Logged logged = Logged.by("io.inbox4j");
        Service service = handling(1, (event, context) -> context.write(EFFECT, "secret"))) {
      service.awaitAll("dead", 1);
      await().until(() -> logged.lines().stream().anyMatch(line -> line.contains("23514")));
      assertThat(logged.lines())
          .noneMatch(line -> line.contains("secret'") || line.contains("(secret"));
    }
  }

  @Test
  void theOrderIsThatOfTheHandlersAcrossTexts() {
    try (Service service =
        handling(
            COUNT,
            (event, context) -> {
              effect(context, event);
              context.write(
                  "UPDATE effects SET name = name || ? WHERE name = ?", "!", "" + event.n());
              if (event.n() % 3 == 0) {
                context.write("DELETE FROM effects WHERE name LIKE ?", "%!");
              }
            })) {
      service.awaitAll("processed", COUNT);
      assertThat(inOrder()).isEmpty();
    }
  }

  @Test
  void consecutiveStatementsOfTheSameTextAreOneBatch() {
    Service.store(database, FIRST);
    AtomicInteger batches = new AtomicInteger();
    DataSource counting = counting(DataSource.class, database.dataSource(), batches);
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.builder(counting).notifications(false).build())
            .subscribe(
                Service.QUEUE,
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              effect(context, event);
                              if (event.n() == 3) {
                                context.write("UPDATE effects SET name = name");
                              }
                            })
                        .concurrency(1)
                        .batchSize(FIRST))
            .build()) {
      inbox.startProcessing();
      await()
          .until(
              () ->
                  database.count("SELECT count(*) FROM inbox WHERE status = 'processed'") == FIRST);
    }
    assertThat(database.effects()).hasSize(FIRST);
    assertThat(batches).hasValue(3);
  }

  /** The same, and every call of executeBatch() by way of it is counted. */
  private static <T> T counting(Class<T> type, Object target, AtomicInteger batches) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("executeBatch")) {
                batches.incrementAndGet();
              }
              try {
                Object result = method.invoke(target, arguments);
                Class<?> leading = method.getReturnType();
                return leading == Connection.class || leading == PreparedStatement.class
                    ? counting(leading, result, batches)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void whoAsksForTheConnectionSeesWhatWasHandedOver() {
    try (Service service =
        handling(
            COUNT,
            (event, context) -> {
              effect(context, event);
              int seen =
                  event.n() % 2 == 0
                      ? context
                          .unwrap(Handle.class)
                          .select("SELECT count(*) FROM effects")
                          .mapTo(Integer.class)
                          .one()
                      : event.n() + 1;
              if (seen != event.n() + 1) {
                throw new IllegalStateException("saw " + seen);
              }
            })) {
      service.awaitAll("processed", COUNT);
      assertThat(inOrder()).containsExactlyElementsOf(names(0, COUNT));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStatementThatFailsWhenAnotherAsksForTheConnectionIsNotItsFault(boolean swallowed) {
    database.execute("ALTER TABLE effects ADD CONSTRAINT no_twelve CHECK (name <> '12')");
    Service.store(database, COUNT);
    try (Service service =
        service(
            (event, context) -> {
              effect(context, event);
              if (event.n() % 10 == 9) {
                try {
                  context.unwrap(Connection.class);
                } catch (RuntimeException e) {
                  if (!swallowed) {
                    throw new IllegalStateException("wrapped", e);
                  }
                }
              }
            },
            queue -> queue.retry(RetryPolicy.immediate(2)))) {
      service.start();
      service.awaitAll("processed", COUNT - 1);
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).contains("dead 2", atIndex(12));
      assertThat(service.statuses())
          .filteredOn(it -> !it.equals("dead 2"))
          .containsOnly("processed 1");
      assertThat(database.effects()).hasSize(COUNT - 1).doesNotContain("12");
    }
  }

  @Test
  void aMissingArgumentThatIsSwallowedIsNotLost() {
    try (Service service =
        handling(
            3,
            (event, context) -> {
              if (event.n() == 1) {
                context.write(EFFECT);
              } else {
                effect(context, event);
              }
              try {
                context.unwrap(Connection.class);
              } catch (RuntimeException e) {
                // as a careless handler does
              }
            })) {
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).containsExactly("processed 1", "dead 1", "processed 1");
      assertThat(inOrder()).containsExactly("0", "2");
    }
  }

  @Test
  void anArgumentThatIsMissingIsNotThatOfTheStatementBefore() {
    try (Service service =
        handling(
            3,
            (event, context) -> {
              if (event.n() == 1) {
                context.write(EFFECT);
              } else {
                effect(context, event);
              }
            })) {
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(inOrder()).containsExactly("0", "2");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "ROLLBACK",
        "INSERT INTO effects VALUES ('x'); COMMIT",
        "SAVEPOINT inbox_mine"
      })
  void whatWouldEndTheTransactionIsRefused(String text) {
    try (Service service =
        handling(
            3,
            (event, context) -> {
              effect(context, event);
              if (event.n() == 1) {
                context.write(text);
              }
            })) {
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).containsExactly("processed 1", "dead 1", "processed 1");
      assertThat(database.effects()).containsExactly("0", "2");
      assertThat(database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .singleElement()
          .asString()
          .contains("was called by a handler");
    }
  }

  @Test
  void aSettingOfTheSessionThatIsHandedOverDoesNotStay() {
    try (Service service =
        handling(
            2,
            (event, context) -> {
              context.write(
                  "INSERT INTO effects SELECT coalesce(current_setting('app.mine', true), 'clean')");
              context.write("SET app.mine = 'left'");
            })) {
      service.awaitAll("processed", 2);
      service.deliver(3);
      service.awaitAll("processed", 3);
      assertThat(inOrder()).containsExactly("clean", "left", "clean");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "leased"})
  void nothingCanBeHandedOverAfterTheHandlerHasReturned(String mode) {
    AtomicReference<EventContext> kept = new AtomicReference<>();
    try (Service service =
        service((event, context) -> kept.set(context), queue -> mode(queue, mode))) {
      service.start().deliver(1);
      service.awaitAll("processed", 1);
      assertThatThrownBy(() -> kept.get().write(EFFECT, "late"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has returned");
    }
    assertThat(database.effects()).isEmpty();
  }

  @Test
  void theTransactionOfAnEffectCannotBeUsedAfterIt() {
    AtomicReference<EventTransaction> kept = new AtomicReference<>();
    try (Service service =
        service((event, context) -> context.commitWith(kept::set), SubscriptionBuilder::leased)) {
      service.start().deliver(1);
      service.awaitAll("processed", 1);
      assertThatThrownBy(() -> kept.get().write(EFFECT, "late"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has returned");
      assertThatThrownBy(() -> kept.get().unwrap(Connection.class))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aLeasedHandlersStatementsAndEffectsKeepTheirOrder() {
    try (Service service =
        service(
            (event, context) -> {
              context.write(EFFECT, "one");
              context.commitWith(
                  transaction -> {
                    TestDatabase.effect(transaction.unwrap(Handle.class), "two");
                    transaction.write(EFFECT, "three");
                  });
              context.write(EFFECT, "four");
            },
            SubscriptionBuilder::leased)) {
      service.start().deliver(1);
      service.awaitAll("processed", 1);
      assertThat(inOrder()).containsExactly("one", "two", "three", "four");
    }
  }

  @Test
  void aLeasedHandlersStatementsAreNotExecutedOnceAnotherHasItsMessage() {
    try (Service service =
        service(
            (event, context) -> {
              effect(context, event);
              database.execute(
                  "UPDATE inbox_pending SET lease = -1, due_on_utc = now() + interval '1 hour'");
            },
            SubscriptionBuilder::leased)) {
      service.start().deliver(1);
      await()
          .until(() -> database.count("SELECT count(*) FROM inbox_pending WHERE lease = -1") == 1);
    }
    assertThat(database.effects()).isEmpty();
    assertThat(database.count("SELECT count(*) FROM inbox_pending")).isEqualTo(1);
  }

  @Test
  void whatAFailingHandlerHandedOverIsNotExecuted() {
    try (Service service =
        handling(
            COUNT,
            (event, context) -> {
              effect(context, event);
              if (event.n() == 20) {
                throw new IllegalStateException("no");
              }
            })) {
      service.awaitAll("processed", COUNT - 1);
      service.awaitAll("dead", 1);
      assertThat(database.effects())
          .hasSize(COUNT - 1)
          .doesNotContain("20")
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void moreIsHandedOverThanIsKeptInMemory() {
    try (Service service =
        handling(
            2,
            (event, context) -> {
              for (int i = 0; i < 2_500; i++) {
                context.write(EFFECT, event.n() + " " + i);
              }
            })) {
      service.awaitAll("processed", 2);
      assertThat(inOrder())
          .containsExactlyElementsOf(
              IntStream.range(0, 5_000).mapToObj(i -> i / 2_500 + " " + i % 2_500).toList());
    }
  }

  @Test
  void aBatchHandlerHandsOverToo() {
    database.execute("ALTER TABLE effects ADD CONSTRAINT no_seven CHECK (name <> '7')");
    Service.store(database, COUNT);
    try (Service service =
        Service.with(
                database,
                inbox ->
                    inbox.subscribe(
                        Service.QUEUE,
                        queue ->
                            queue
                                .onBatch(
                                    Created.class,
                                    (events, context) -> {
                                      for (Created event : events) {
                                        effect(
                                            event.n() % 2 == 0 ? context : context.of(event),
                                            event);
                                      }
                                    })
                                .retry(RetryPolicy.never())))
            .start()) {
      service.awaitAll("processed", COUNT - 1);
      service.awaitAll("dead", 1);
      assertThat(service.statuses().get(7)).isEqualTo("dead 1");
      assertThat(database.effects()).hasSize(COUNT - 1);
    }
  }

  @Test
  void argumentsArriveExactly() {
    database.execute(
        """
        CREATE TABLE exact (
          a text, b boolean, c smallint, d integer, e bigint, f real, g double precision, h numeric,
          i numeric, j uuid, k timestamptz, l timestamptz, m timestamp, n date, o time, p bytea,
          q text, r integer)
        """);
    Object[] arguments = {
      "it's \"täxt\" \\ ?",
      true,
      Short.MIN_VALUE,
      Integer.MAX_VALUE,
      Long.MIN_VALUE,
      1.1f,
      0.1d,
      new BigInteger("123456789012345678901234567890"),
      new BigDecimal("12345678901234567890.123456789012345678"),
      UUID.fromString("4be2ba84-0000-4000-8000-00000000000f"),
      Instant.parse("2026-10-25T00:30:00.123456Z"),
      OffsetDateTime.parse("2026-10-25T02:30:00.123456+02:00"),
      LocalDateTime.parse("2026-03-29T02:30:00.000001"),
      LocalDate.parse("0001-01-01"),
      LocalTime.parse("23:59:59.999999"),
      new byte[] {0, -1, 92, 39},
      DayOfWeek.MONDAY,
      null
    };
    String statement =
        "INSERT INTO exact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    try (Service service = handling(12, (event, context) -> context.write(statement, arguments))) {
      service.awaitAll("processed", 12); // more than the driver takes to prepare it on the server
    }
    assertThat(
            database.texts(
                """
                SELECT concat_ws('|', a, b, c, d, e, f, g, h, i, j, k AT TIME ZONE 'UTC',
                                 l AT TIME ZONE 'UTC', m, n, o, encode(p, 'hex'), q, r IS NULL)
                FROM exact
                """))
        .hasSize(12)
        .containsOnly(
            String.join(
                "|",
                "it's \"täxt\" \\ ?",
                "t",
                "-32768",
                "2147483647",
                "-9223372036854775808",
                "1.1",
                "0.1",
                "123456789012345678901234567890",
                "12345678901234567890.123456789012345678",
                "4be2ba84-0000-4000-8000-00000000000f",
                "2026-10-25 00:30:00.123456",
                "2026-10-25 00:30:00.123456",
                "2026-03-29 02:30:00.000001",
                "0001-01-01",
                "23:59:59.999999",
                "00ff5c27",
                "MONDAY",
                "t"));
  }

  @Test
  void aStatementMayReturnRowsWhichAreIgnored() {
    try (Service service =
        handling(
            3,
            (event, context) -> {
              context.write("SELECT pg_advisory_xact_lock(?)", (long) event.n());
              context.write("INSERT INTO effects VALUES (?) RETURNING name", "" + event.n());
            })) {
      service.awaitAll("processed", 3);
      assertThat(inOrder()).containsExactly("0", "1", "2");
    }
  }
}
