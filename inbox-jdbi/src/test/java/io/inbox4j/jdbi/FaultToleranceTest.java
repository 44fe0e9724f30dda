package io.inbox4j.jdbi;

import static io.inbox4j.jdbi.Messages.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.store.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class FaultToleranceTest {

  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void aConnectionLostInAHandlerUsesUpNoAttempt() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 5);
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
                                  Handle handle = context.unwrap(Handle.class);
                                  if (event.n() == 2 && calls.incrementAndGet() <= 2) {
                                    database.terminate(pid(handle));
                                  }
                                  Service.effect(event, context);
                                })
                            .retry(RetryPolicy.never())))) {
      service.start();
      service.awaitAll("processed", 5);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(database.effects()).containsExactly("0", "1", "2", "3", "4");
      assertThat(service.heard.of("interrupted")).hasSize(2);
      assertThat(service.heard.of("retried")).isEmpty();
    }
  }

  private static int pid(Handle handle) {
    return handle.select("SELECT pg_backend_pid()").mapTo(Integer.class).one();
  }

  @Test
  void aTableThatIsMissingIsNoFaultOfTheMessages() {
    try (Service service = Service.subscribing(queue -> queue.on(Created.class, Service::effect))) {
      service.start();
      service.database.execute("ALTER TABLE inbox_pending RENAME TO inbox_gone");
      assertThatThrownBy(() -> service.deliver(3))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("inbox_pending");
      service.database.execute("ALTER TABLE inbox_gone RENAME TO inbox_pending");
      service.deliver(3);
      service.awaitAll("processed", 3);
      assertThat(service.database.effects()).containsExactly("0", "1", "2");
      assertThat(service.heard.of("quarantined")).isEmpty();
    }
  }

  @Test
  void aDeadlockOrSerializationFailureUsesUpNoAttempt() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          Service.effect(event, context);
                          if (calls.incrementAndGet() <= 2) {
                            throw new IllegalStateException(
                                new SQLException("deadlock detected", "40P01"));
                          }
                        })
                    .retry(RetryPolicy.never()))) {
      service.start().deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.statuses()).containsExactly("processed 1");
      assertThat(service.database.effects()).containsExactly("0");
    }
  }

  @Test
  void whatAProcessHadInFlightWhenItWasLostIsHandledOnceByAnother() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 3);
    try (JdbiInboxStore lost = Messages.store(database);
        var transaction = lost.begin(Service.QUEUE)) {
      transaction.claim(Messages.TYPES, 2);
      TestDatabase.effect(transaction.unwrap(Handle.class), "lost");
    }
    try (Service service =
        Service.with(
            database, inbox -> inbox.subscribe(Service.QUEUE, Created.class, Service::effect))) {
      service.start();
      service.awaitAll("processed", 3);
      assertThat(database.effects()).containsExactly("0", "1", "2");
      assertThat(service.statuses()).containsOnly("processed 1");
      await()
          .untilAsserted(
              () ->
                  assertThat(service.heard.of("recovered"))
                      .containsExactly("recovered " + id(0), "recovered " + id(1)));
    }
  }

  @Test
  void aFailureOfAnotherDatabaseIsTheMessagesOwnAndItsNeighboursGoOn() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              Service.effect(event, context);
                              if (event.n() == 2) {
                                throw new SQLException("the other one is away", "08001");
                              }
                            })
                        .retry(RetryPolicy.immediate(3)))
            .start()) {
      service.deliver(5);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 4);
      assertThat(service.database.effects()).containsExactly("0", "1", "3", "4");
      assertThat(service.heard.of("interrupted")).isEmpty();
    }
  }

  @Test
  void aBatchThatIsTooSlowForTheServerShrinksUntilItFits() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 8);
    CountDownLatch never = new CountDownLatch(1);
    try (JdbiInboxStore store =
            JdbiInboxStore.builder(database.url()).idleTimeout(Duration.ofMillis(500)).build();
        Inbox inbox =
            Inbox.builder()
                .store(store)
                .subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(
                                Created.class,
                                (event, context) -> {
                                  never.await(150, TimeUnit.MILLISECONDS); // does nothing in SQL
                                  Service.effect(event, context);
                                })
                            .concurrency(1))
                .build()) {
      inbox.startProcessing();
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> database.count("SELECT count(*) FROM inbox_processed") == 8);
      assertThat(database.effects()).hasSize(8).doesNotHaveDuplicates();
    }
  }

  @Test
  void aMessageThatKillsItsProcessIsGivenUpOnAfterItsAttempts() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 2);
    try (JdbiInboxStore lost = Messages.store(database);
        var transaction = lost.begin(Service.QUEUE)) {
      transaction.claim(Messages.TYPES, 1);
    }
    database.execute(
        "UPDATE inbox_pending SET crashes = 4 WHERE seq = (SELECT min(seq) FROM inbox_pending)");
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(Created.class, Service::effect)
                            .retry(RetryPolicy.immediate(3))))) {
      service.start();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 1);
      assertThat(database.effects()).containsExactly("1");
      assertThat(database.texts("SELECT error FROM inbox WHERE status = 'dead'").get(0))
          .contains("the process died or was lost 3 times");
    }
  }

  @Test
  void aConstraintThatIsCheckedAtTheCommitFailsItsMessageOnly() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) ->
                            context
                                .unwrap(Handle.class)
                                .execute("INSERT INTO rooms VALUES (?)", event.n() % 2))
                    .retry(RetryPolicy.immediate(2)))) {
      service.database.execute(
          "CREATE TABLE rooms (room integer UNIQUE DEFERRABLE INITIALLY DEFERRED)");
      service.start().deliver(3);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 2);
      assertThat(service.database.count("SELECT count(*) FROM rooms")).isEqualTo(2);
    }
  }

  @Test
  void aHandlerThatEndsTheTransactionBySqlIsGivenUpOnAndItsNeighboursAreHandledOnce() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 3);
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
                                  if (event.n() == 0) {
                                    context.unwrap(Handle.class).execute("ROLLBACK");
                                  }
                                  Service.effect(event, context);
                                })
                            .isolated()
                            .retry(RetryPolicy.immediate(2))))) {
      service.start();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 2);
      assertThat(database.texts("SELECT DISTINCT name FROM effects WHERE name <> '0' ORDER BY 1"))
          .containsExactly("1", "2");
      assertThat(database.count("SELECT count(*) FROM effects WHERE name <> '0'")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "leased", "inline"})
  void aHandlerThatSpoilsTheCommitIsGivenUpOnAndItsNeighboursAreHandled(String mode) {
    try (Service service =
        Service.subscribing(
            queue -> {
              queue
                  .on(
                      Created.class,
                      (event, context) ->
                          context.commitWith(
                              transaction -> {
                                Handle handle = transaction.unwrap(Handle.class);
                                TestDatabase.effect(handle, String.valueOf(event.n()));
                                if (event.n() == 1) { // out of sight
                                  handle.execute("SELECT get_lost()");
                                }
                              }))
                  .retry(RetryPolicy.immediate(2));
              switch (mode) {
                case "leased" -> queue.leased();
                case "inline" -> queue.inline();
                default -> {}
              }
            })) {
      service.database.execute(
          """
          CREATE FUNCTION get_lost() RETURNS void LANGUAGE plpgsql AS $$
          BEGIN
            PERFORM set_config('role', 'pg_monitor', true);
          END $$
          """);
      service.start().deliver(4);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 3);
      assertThat(service.database.effects()).containsExactlyInAnyOrder("0", "2", "3");
    }
  }
}
