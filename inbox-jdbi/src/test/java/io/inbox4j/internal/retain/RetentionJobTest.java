package io.inbox4j.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.event.MessageIds;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The retention job in the background. */
@Timeout(60)
@Tag("slow")
class RetentionJobTest {

  private static final String ENDPOINT = "orders";
  private static final Duration SOON = Duration.ofMillis(20);
  private static final Duration NEVER = Duration.ofDays(1);

  private final String url = PostgresServer.shared().newDatabase();
  private final Jdbi jdbi = Jdbi.create(PostgresServer.shared().dataSource(url));
  private final JdbiInboxStore store =
      JdbiInboxStore.create(PostgresServer.shared().dataSource(url));

  @BeforeEach
  void open() {
    store.open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void processedAWeekAgo(int count) {
    List<ValidatedDelivery> events =
        IntStream.range(0, count).mapToObj(RetentionJobTest::event).toList();
    store.receive(ENDPOINT, events);
    for (int left = count; left > 0; ) {
      try (WorkTransaction transaction = store.begin(ENDPOINT)) {
        List<Outcome> outcomes =
            transaction.claim(Set.of("created"), left).stream()
                .<Outcome>map(it -> new Outcome.Processed(it.sequence()))
                .toList();
        transaction.commit(outcomes);
        left -= outcomes.size();
      }
    }
    execute("UPDATE inbox_messages SET received_on_utc = now() - interval '8 days'");
    execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '8 days'");
  }

  private static ValidatedDelivery event(int n) {
    UUID id = MessageIds.of("order", n);
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
    Delivery delivery =
        new Delivery(
            id.toString(), "created", "application/json", null, null, null, Map.of(), body, false);
    return new ValidatedDelivery.Event(delivery, null, id, "created");
  }

  private void execute(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }

  private long messages() {
    return jdbi.withHandle(
        handle -> handle.select("SELECT count(*) FROM inbox_messages").mapTo(Long.class).one());
  }

  @Test
  void closingEndsItInTheMidstOfItsWork() {
    int count = 20_000;
    processedAWeekAgo(count);
    RetentionJob retentionJob =
        new RetentionJob(store, Set.of(ENDPOINT), Retention.days(7), SOON, NEVER);
    retentionJob.start();
    await().pollInterval(Duration.ofMillis(5)).until(() -> messages() < count);
    long begin = System.nanoTime();
    retentionJob.close();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    long left = messages();
    assertThat(left).isPositive();
    assertThat(
            jdbi.<Long, RuntimeException>withHandle(
                handle ->
                    handle.select("SELECT count(*) FROM inbox_processed").mapTo(Long.class).one()))
        .isEqualTo(left);
    assertThat(store.retain(soFar -> true).ran()).isTrue();
    assertThat(messages()).isZero();
  }
}
