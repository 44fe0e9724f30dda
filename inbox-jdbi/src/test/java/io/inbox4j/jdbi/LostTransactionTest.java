package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.engine.Logged;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers and effects that cost the inbox its transaction. */
@Timeout(60)
@Tag("slow")
class LostTransactionTest {

  private static final int CULPRIT = 2;
  private static final int ATTEMPTS = 2;
  private static final String UNSUPPORTED = "SELECT DISTINCT name FROM effects FOR UPDATE";

  private enum Deed {
    /** Stands for a query that crashes its server process. */
    KILL("SELECT pg_terminate_backend(pg_backend_pid())"),
    /** The driver closes the connection. */
    DATE_STYLE("SET LOCAL datestyle = 'German'");

    private final String sql;

    Deed(String sql) {
      this.sql = sql;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "transactional, KILL",
    "transactional, DATE_STYLE",
    "inline, KILL",
    "leased, KILL",
  })
  void aMessageThatCostsTheTransactionDiesAfterItsAttemptsAndItsNeighboursAreHandled(
      String mode, Deed deed) {
    try (Logged logged = Logged.by("io.inbox4j");
        Service service = Service.subscribing(queue -> configure(queue, mode, deed.sql))) {
      service.start().deliver(5);
      service.awaitAll("processed", 4);
      service.awaitAll("dead", 1);

      String id = Messages.id(CULPRIT).toString();
      assertThat(service.statuses().get(CULPRIT)).isEqualTo("dead " + ATTEMPTS);
      assertThat(service.database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .allMatch(error -> error.contains("the transaction was lost 3 times in a row"));
      assertThat(logged.lines())
          .anyMatch(line -> line.contains("has lost its transaction") && line.contains(id));
      assertThat(service.database.effects()).containsExactly("0", "1", "3", "4");
    }
  }

  /** The pool leaves a server that is read-only, so the next statement costs the connection. */
  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void aMessageThatMakesTheTransactionReadOnlyDoesNotKeepItsNeighboursFromBeingHandled(
      String mode) {
    try (Service service =
        Service.subscribing(queue -> configure(queue, mode, "SET TRANSACTION READ ONLY"))) {
      service.start().deliver(5);
      service.awaitAll("processed", 5);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(service.database.effects()).containsExactly("0", "1", "2", "3", "4");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatPostgresDoesNotSupportFailsItsMessageOnly(String mode) {
    try (Service service = Service.subscribing(queue -> configure(queue, mode, UNSUPPORTED))) {
      service.start().deliver(5);
      service.awaitAll("processed", 4);
      service.awaitAll("dead", 1);
      assertThat(service.statuses().get(CULPRIT)).isEqualTo("dead " + ATTEMPTS);
      assertThat(service.database.effects()).containsExactly("0", "1", "3", "4");
      assertThat(service.heard.of("interrupted")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void aPoolThatClosesTheConnectionForAHandlersErrorDoesNotKeepItsMessageAlive(String mode) {
    TestDatabase database = TestDatabase.fresh();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setMaximumPoolSize(4);
      InMemoryTransport transport = InMemoryTransport.create();
      try (Inbox inbox =
          Inbox.builder()
              .store(JdbiInboxStore.create(pool))
              .transport(transport)
              .subscribe(Service.QUEUE, queue -> configure(queue, mode, UNSUPPORTED))
              .build()) {
        inbox.start();
        transport.deliver(Service.QUEUE, Service.deliveries(5));
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () ->
                    database
                        .texts("SELECT status FROM inbox ORDER BY seq")
                        .equals(
                            List.of("processed", "processed", "dead", "processed", "processed")));
        assertThat(database.effects()).containsExactly("0", "1", "3", "4");
      }
    }
  }

  private static void configure(SubscriptionBuilder queue, String mode, String sql) {
    queue
        .on(Created.class, (event, context) -> handle(event, context, sql))
        .concurrency(1)
        .pollInterval(Duration.ofMillis(50))
        .retry(RetryPolicy.immediate(ATTEMPTS));
    switch (mode) {
      case "leased" -> queue.leased();
      case "inline" -> queue.inline();
      default -> {}
    }
  }

  private static void handle(Created event, EventContext context, String sql) throws Exception {
    context.commitWith(
        transaction -> {
          Handle handle = transaction.unwrap(Handle.class);
          TestDatabase.effect(handle, String.valueOf(event.n()));
          if (event.n() == CULPRIT) {
            handle.execute(sql);
          }
        });
  }

  @Test
  void orphansDoNotWaitBecauseAMessageThatRanBeforeThemCostTheTransaction() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 5);
    try (JdbiInboxStore lost = Messages.store(database);
        var transaction = lost.begin(Service.QUEUE)) {
      transaction.claim(Messages.TYPES, 2); // which makes orphans of them
    }
    AtomicInteger calls = new AtomicInteger();
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
                                  int call = event.n() == 3 ? calls.incrementAndGet() : 0;
                                  if (call == 1) {
                                    throw DeadLetter.because("it shall run again, alone");
                                  } else if (call == 2) {
                                    context.unwrap(Handle.class).execute(Deed.KILL.sql);
                                  }
                                })
                            .retry(RetryPolicy.fixed(Duration.ofMinutes(10)))))) {
      service.start();
      service.awaitAll("processed", 5);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(calls).hasValue(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "leased"})
  void whileTheDatabaseDoesNotAnswerAfterwardsLostConnectionsUseUpNoAttempt(String mode) {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 1);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger refusals = new AtomicInteger();
    try (Inbox inbox =
        Inbox.builder()
            .store(
                JdbiInboxStore.builder(refusing(database.dataSource(), refusals))
                    .notifications(false)
                    .build())
            .transport(InMemoryTransport.create())
            .subscribe(
                Service.QUEUE,
                queue -> {
                  queue
                      .on(
                          Created.class,
                          (event, context) ->
                              context.commitWith(
                                  transaction -> {
                                    if (calls.incrementAndGet() <= 5) {
                                      refusals.set(1);
                                      transaction.unwrap(Handle.class).execute(Deed.KILL.sql);
                                    }
                                  }))
                      .concurrency(1)
                      .pollInterval(Duration.ofMillis(50))
                      .retry(RetryPolicy.never());
                  if (mode.equals("leased")) {
                    queue.leased(Duration.ofMinutes(1));
                  }
                })
            .build()) {
      inbox.startProcessing();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  database
                      .texts("SELECT status || ' ' || attempts FROM inbox")
                      .equals(List.of("processed 1")));
      assertThat(calls).hasValue(6);
    }
  }

  /** A data source that refuses as many connections as it is told. */
  private static DataSource refusing(DataSource source, AtomicInteger refusals) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection")
                  && refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new SQLException("refused", "08001");
              }
              try {
                return method.invoke(source, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
