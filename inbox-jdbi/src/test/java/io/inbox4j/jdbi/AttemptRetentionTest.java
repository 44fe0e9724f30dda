package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.Outcome;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long the failed attempts of messages are in their table. */
class AttemptRetentionTest {

  private static final Set<String> ORDERS = Set.of(Messages.ENDPOINT);

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void theyAreRemovedWithTheMessageAlsoIfItWasDiscarded() {
    store.receive(Messages.ENDPOINT, Messages.events(3));
    failOnce(3);
    Messages.settle(store, 2, Outcome.Processed::new);
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "broken"));
    store.discardDead(MessageFilter.all(), "anna", 0, 10);
    assertThat(rows()).isEqualTo(4);
    age();
    store.retain(ORDERS, Retention.days(1), true, soFar -> true);
    assertThat(database.count("SELECT count(*) FROM inbox_messages")).isZero();
    assertThat(rows()).isZero();
  }

  @Test
  void theyAreRemovedWithTheBodyIfOnlyTheIdentityIsKept() {
    store.receive(Messages.ENDPOINT, Messages.events(1));
    failOnce(1);
    Messages.settle(store, 1, Outcome.Processed::new);
    age();
    Retention identities = Retention.days(1).dedupWindow(Duration.ofDays(30));
    store.retain(ORDERS, identities, true, soFar -> true);
    assertThat(database.count("SELECT count(*) FROM inbox_messages WHERE emptied")).isEqualTo(1);
    assertThat(rows()).isZero();
  }

  private void failOnce(int count) {
    Messages.settle(store, count, it -> new Outcome.Retry(it, Duration.ZERO, "not yet"));
  }

  private long rows() {
    return database.count("SELECT count(*) FROM inbox_attempts");
  }

  private void age() {
    database.execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '3 days'");
    database.execute("UPDATE inbox_messages SET received_on_utc = now() - interval '3 days'");
    database.execute("UPDATE inbox_interventions SET done_on_utc = now() - interval '3 days'");
  }
}
