package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.engine.Logged;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that get past the guard and end the transaction that they share with others. */
@Tag("slow")
@Timeout(60)
class EndedTransactionTest {

  private static final int CULPRIT = 2;
  private static final int ATTEMPTS = 3;

  /** What a handler does with the connection underneath. */
  private enum Deed {
    COMMIT_LAST {
      @Override
      void doWith(Connection raw) throws Exception {
        raw.commit();
      }
    },
    COMMIT_BY_SQL_AND_GO_ON {
      @Override
      void doWith(Connection raw) throws Exception {
        try (Statement statement = raw.createStatement()) {
          statement.execute("COMMIT");
          statement.execute("SELECT 1");
        }
      }
    },
    COMMIT_AND_THROW {
      @Override
      void doWith(Connection raw) throws Exception {
        raw.commit();
        throw new java.sql.SQLException("of another database", "08001");
      }
    },
    AUTO_COMMIT {
      @Override
      void doWith(Connection raw) throws Exception {
        raw.setAutoCommit(true);
      }
    },
    ROLLBACK {
      @Override
      void doWith(Connection raw) throws Exception {
        raw.rollback();
      }
    };

    abstract void doWith(Connection raw) throws Exception;
  }

  private static Stream<Arguments> deedsInAllModes() {
    return Stream.of("transactional", "inline", "leased")
        .flatMap(mode -> Stream.of(Deed.values()).map(deed -> Arguments.of(mode, deed)));
  }

  @ParameterizedTest
  @MethodSource("deedsInAllModes")
  void theMessageDiesAfterItsAttemptsAndItsNeighboursAreHandled(String mode, Deed deed) {
    try (Logged logged = Logged.by("io.inbox4j");
        Service service = Service.subscribing(queue -> configure(queue, mode, deed))) {
      service.start().deliver(5);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 4);

      String id = Messages.id(CULPRIT).toString();
      assertThat(service.database.texts("SELECT id FROM inbox WHERE status = 'dead'"))
          .containsExactly(id);
      assertThat(service.database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .allMatch(error -> error.contains("the handler ended the inbox's transaction"));
      assertThat(logged.lines())
          .anyMatch(line -> line.contains("ended the inbox's transaction") && line.contains(id));
      // A receiver and a worker may each have had it in flight before it was charged.
      long inFlight = mode.equals("inline") ? 2 : 1;
      for (int n = 0; n < 5; n++) {
        long effects =
            service.database.count(
                "SELECT count(*) FROM effects WHERE name = ?", String.valueOf(n));
        assertThat(effects)
            .as("effects of %d", n)
            .isBetween(
                n == CULPRIT && deed == Deed.ROLLBACK ? 0L : 1L,
                inFlight + (n == CULPRIT ? ATTEMPTS : 1));
      }
    }
  }

  private static void configure(SubscriptionBuilder queue, String mode, Deed deed) {
    queue
        .on(Created.class, (event, context) -> handle(event, context, deed))
        .retry(RetryPolicy.immediate(ATTEMPTS));
    switch (mode) {
      case "leased" -> queue.leased();
      case "inline" -> queue.inline();
      default -> {}
    }
  }

  private static void handle(Created event, EventContext context, Deed deed) throws Exception {
    context.commitWith(
        transaction -> {
          effect(transaction, event.n());
          if (event.n() == CULPRIT) {
            deed.doWith(BackDoor.behind(transaction.unwrap(Connection.class)));
          }
        });
  }

  private static void effect(EventTransaction transaction, int n) throws Exception {
    try (Statement statement = transaction.unwrap(Connection.class).createStatement()) {
      statement.execute("INSERT INTO effects VALUES ('" + n + "')");
    }
  }

  @Test
  void aOrphanThatEndsTheTransactionOfItsGroupIsFoundOutToo() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, 5);
    try (JdbiInboxStore lost = Messages.store(database);
        var transaction = lost.begin(Service.QUEUE)) {
      transaction.claim(Messages.TYPES, 5);
    }
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE, queue -> configure(queue, "transactional", Deed.COMMIT_LAST)))) {
      service.start();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 4);
      assertThat(service.statuses())
          .containsExactly("processed 1", "processed 1", "dead 3", "processed 1", "processed 1");
    }
  }

  @Test
  void theBatchOfABatchHandlerIsTriedOneByOne() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .onBatch(
                        Created.class,
                        (events, context) -> {
                          for (Created event : events) {
                            effect(context, event.n());
                          }
                          if (events.stream().anyMatch(event -> event.n() == CULPRIT)) {
                            BackDoor.behind(context.unwrap(Connection.class)).commit();
                          }
                        })
                    .retry(RetryPolicy.immediate(ATTEMPTS)))) {
      service.start().deliver(5);
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 4);
      assertThat(service.statuses()).filteredOn(it -> it.startsWith("dead")).hasSize(1);
      assertThat(service.database.count("SELECT count(*) FROM effects WHERE name <> '2'"))
          .isLessThanOrEqualTo(8);
    }
  }

  @Test
  void theOrderOfItsKeyIsKept() {
    List<String> expected = List.of("a0", "a1", "a2", "a3", "a4");
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          effect(context, event.n());
                          if (event.n() == CULPRIT) {
                            BackDoor.behind(context.unwrap(Connection.class)).commit();
                          }
                        })
                    .orderedBy(IntegrationEvent.class, event -> "a")
                    .retry(RetryPolicy.immediate(ATTEMPTS)))) {
      service.start().deliver(expected.size());
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 4);
      List<String> last =
          service.database.texts(
              "SELECT name FROM (SELECT DISTINCT ON (name) name, ctid FROM effects"
                  + " ORDER BY name, ctid DESC) e ORDER BY ctid");
      assertThat(last.indexOf("2")).isLessThan(last.indexOf("3"));
      assertThat(last.indexOf("3")).isLessThan(last.indexOf("4"));
      assertThat(Set.copyOf(last)).hasSize(5);
    }
  }
}
