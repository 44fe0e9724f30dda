package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a service that is built and started removes, and when. */
@Timeout(60)
class RetentionWiringTest {

  private static final String MESSAGES = "SELECT count(*) FROM inbox_messages";

  @Test
  void theRetentionJobOfAnInboxRemovesWhatIsOlderThanItsRetention() {
    try (Service service = processed(3, builder -> builder.retention(Retention.days(2)))) {
      assertThat(service.inbox.retention().retention()).isEqualTo(Retention.days(2));
      age(service, "1 day 23 hours");
      assertThat(service.inbox.retention().run().removed()).isZero();
      assertThat(service.database.count(MESSAGES)).isEqualTo(3);
      age(service, "2 days 1 hour");
      RetentionReport report = service.inbox.retention().run();
      assertThat(report.removed()).isEqualTo(3);
      assertThat(service.database.count(MESSAGES)).isZero();
    }
  }

  @Test
  void anInboxThatIsToldNothingRemovesAfterSevenDays() {
    try (Service service = processed(3, builder -> {})) {
      assertThat(service.inbox.retention().retention()).isEqualTo(Retention.days(7));
      age(service, "6 days 23 hours");
      assertThat(service.inbox.retention().run().removed()).isZero();
      age(service, "7 days 1 hour");
      assertThat(service.inbox.retention().run().removed()).isEqualTo(3);
    }
  }

  @Test
  void theRetentionJobOfAnInboxLeavesQueuesThatItDoesNotHandle() {
    try (Service service = processed(3, builder -> builder.retention(Retention.days(2)))) {
      service.database.execute("UPDATE inbox_messages SET endpoint = 'of others'");
      age(service, "30 days");
      assertThat(service.inbox.retention().run().removed()).isZero();
      assertThat(service.database.count(MESSAGES)).isEqualTo(3);
    }
  }

  /** A service that has processed this many messages. */
  private static Service processed(int count, Consumer<InboxBuilder> configuration) {
    Service service = Service.with(it -> configuration.accept(handling(it))).start();
    service.deliver(count);
    service.awaitAll("processed", count);
    return service;
  }

  private static InboxBuilder handling(InboxBuilder builder) {
    return builder.subscribe(Service.QUEUE, queue -> queue.on(Created.class, Service::effect));
  }

  private static void age(Service service, String age) {
    service.database.execute(
        "UPDATE inbox_processed SET processed_on_utc = now() - CAST(? AS interval)", age);
    service.database.execute(
        "UPDATE inbox_messages SET received_on_utc = now() - CAST(? AS interval)", age);
  }

  @Test
  void aServiceThatOnlyProcessesBeginsToKeepHouse() {
    keepsHouseAfter(Inbox::startProcessing);
  }

  @Test
  void aServiceThatStartsBeginsToKeepHouse() {
    keepsHouseAfter(Inbox::start);
  }

  /**
   * That begins with what all retention jobs have to know; {@code RetentionJobTest} has the rest.
   */
  private static void keepsHouseAfter(Consumer<Inbox> start) {
    try (Service service = Service.with(builder -> handling(builder).retention(Retention.days(3)));
        JdbiInboxStore store = Messages.store(service.database)) {
      assertThat(store.declaredRetention()).isEmpty();
      start.accept(service.inbox);
      assertThat(store.declaredRetention()).isEqualTo(Map.of(Service.QUEUE, Retention.days(3)));
    }
  }
}
