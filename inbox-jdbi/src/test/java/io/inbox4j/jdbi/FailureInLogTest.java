package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.engine.Logged;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The log names what the database says about a failure, and shows nothing of its data. */
@Timeout(60)
class FailureInLogTest {

  private static final String SECRET = "secret-4711";

  static List<Consumer<SubscriptionBuilder>> modes() {
    return List.of(queue -> {}, SubscriptionBuilder::leased, SubscriptionBuilder::inline);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void ofTheDatabaseItNamesTheErrorTheConstraintAndTheTable(Consumer<SubscriptionBuilder> mode) {
    List<String> lines = logged(builder -> {}, mode, FailureInLogTest::violateAConstraint);
    assertThat(lines)
        .filteredOn(line -> line.contains("is dead after attempt 2"))
        .singleElement()
        .asString()
        .contains("(SQLSTATE 23514, check_violation, constraint no_secrets, table effects)")
        .contains(FailureInLogTest.class.getName());
    assertThat(lines).noneMatch(line -> line.contains(SECRET));
  }

  @Test
  void ofAStatementThatIsWrongItSaysWhere() {
    assertThat(
            logged(
                builder -> {},
                queue -> {},
                (event, context) ->
                    context.unwrap(Handle.class).execute("SELECT * FROM \"" + SECRET + "\"")))
        .anyMatch(
            line ->
                line.contains(
                    "(SQLSTATE 42P01, undefined_table, at character 15 of the statement)"))
        .noneMatch(line -> line.contains(SECRET));
  }

  private interface Failing {
    void handle(Created event, EventContext context) throws Exception;
  }

  private static void violateAConstraint(Created event, EventContext context) throws Exception {
    context.commitWith(
        transaction -> TestDatabase.effect(transaction.unwrap(Handle.class), SECRET));
  }

  /** What is logged while one message fails twice and dies. */
  private static List<String> logged(
      Consumer<InboxBuilder> builder, Consumer<SubscriptionBuilder> mode, Failing handler) {
    try (Service service = failing(builder, mode, handler);
        Logged log = Logged.by("io.inbox4j")) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      await().atMost(Duration.ofSeconds(20)).until(() -> !service.heard.of("dead").isEmpty());
      return log.lines();
    }
  }

  private static Service failing(
      Consumer<InboxBuilder> builder, Consumer<SubscriptionBuilder> mode, Failing handler) {
    Service service =
        Service.with(
            all -> {
              builder.accept(all);
              all.subscribe(
                  Service.QUEUE,
                  mode.andThen(
                      queue ->
                          queue
                              .on(Created.class, handler::handle)
                              .retry(RetryPolicy.immediate(2))));
            });
    service.start();
    service.database.execute(
        "ALTER TABLE effects ADD CONSTRAINT no_secrets CHECK (name NOT LIKE 'secret%')");
    return service;
  }
}
