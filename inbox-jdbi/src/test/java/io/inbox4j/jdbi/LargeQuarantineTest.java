package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A start does not depend on what is in quarantine, neither on how much nor on any one. */
@Timeout(120)
class LargeQuarantineTest {

  private static final int MESSAGES = 24;

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  @Tag("slow")
  void aProcessWithLittleMemoryStartsAndTakesInMoreThanFitsIntoIt() {
    quarantine(MESSAGES, 3_900_000);
    try (ChildProcess process =
        ChildProcess.start(
            List.of("-Xmx80m", "-XX:+ExitOnOutOfMemoryError", "-XX:+UseSerialGC"),
            SmallProcess.class,
            database.url())) {
      process.awaitLine("started", Duration.ofSeconds(60));
      process.awaitLine("handled all", Duration.ofSeconds(60));
    }
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
  }

  @Test
  void aListHasNoMoreBodiesThanFitIntoMemoryAndOneWithoutBodiesHasAll() {
    quarantine(3, 25 << 20);
    try (JdbiInboxStore store = Messages.store(database)) {
      assertThat(store.listQuarantined(MessageFilter.all(), 0, 10)).hasSize(2);
      assertThat(store.listQuarantineEntries(MessageFilter.all(), 0, 10))
          .hasSize(3)
          .allSatisfy(entry -> assertThat(entry.bodySize()).isGreaterThan(25 << 20));
    }
  }

  private void quarantine(int count, int size) {
    database.execute(
        """
        INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, message_id, type,
                                      content_type, body, redelivered)
        SELECT ?, 'unknown-type', 'nobody knew it', gen_random_uuid(), 'id-' || n, 'created',
               'application/json',
               convert_to(format('{"n":%s,"filler":"%s"}', n, repeat('x', ?)), 'UTF8'), false
        FROM generate_series(1, ?) n
        """,
        Service.QUEUE, size, count);
  }

  /** Handles all that was in quarantine. */
  static final class SmallProcess {

    private SmallProcess() {}

    public static void main(String[] args) throws InterruptedException {
      CountDownLatch all = new CountDownLatch(MESSAGES);
      try (Inbox inbox =
          Inbox.builder()
              .store(JdbiInboxStore.connect(args[0]))
              .defaults(defaults -> defaults.concurrency(1).batchSize(1))
              .subscribe(Service.QUEUE, Created.class, (event, context) -> all.countDown())
              .build()) {
        inbox.startProcessing();
        System.out.println("started");
        all.await();
        System.out.println("handled all");
      }
    }
  }

  @Test
  void whatTheDatabaseRefusesHoldsUpNeitherItsPageNorTheStart() {
    database.execute(
        "ALTER TABLE inbox_messages ADD CONSTRAINT test CHECK (correlation_id <> 'refused')");
    try (JdbiInboxStore store = Messages.store(database)) {
      for (int n = 0; n < 5; n++) {
        store.receive(Service.QUEUE, List.of(unknown(n, n == 2 ? "refused" : "fine")));
      }
    }
    try (Service service =
        Service.with(
            database, inbox -> inbox.subscribe(Service.QUEUE, Created.class, Service::effect))) {
      service.start().awaitAll("processed", 4);
      assertThat(service.inbox.quarantine().replay(MessageFilter.all())).isZero();
      assertThat(service.inbox.quarantine().entries(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(
              entry -> {
                assertThat(entry.messageId()).isEqualTo(Messages.id(2).toString());
                assertThat(entry.reason()).isEqualTo(QuarantineReason.UNSTORABLE);
                assertThat(entry.detail()).contains("violates check constraint \"test\"");
              });
      assertThat(database.effects()).containsExactly("0", "1", "3", "4");
    }
  }

  @Test
  void aReplayLeavesWhatTheDatabaseRefusesAsItIs() {
    try (Service service = Service.handling(Service::effect);
        JdbiInboxStore store = Messages.store(service.database)) {
      service.database.execute(
          "ALTER TABLE inbox_messages ADD CONSTRAINT test CHECK (correlation_id <> 'refused')");
      for (int n = 0; n < 3; n++) {
        store.receive(
            Service.QUEUE,
            List.of(
                new ValidatedDelivery.Rejected(
                    unknown(n, n == 1 ? "refused" : "fine").delivery(),
                    null,
                    QuarantineReason.CONTENT_TYPE,
                    "why")));
      }
      assertThat(service.inbox.quarantine().replay(MessageFilter.all())).isEqualTo(2);
      assertThat(service.inbox.quarantine().entries(MessageFilter.all(), 10))
          .extracting(QuarantineEntry::reason)
          .containsExactly(QuarantineReason.CONTENT_TYPE);
      service.awaitAll("processed", 2);
    }
  }

  private static ValidatedDelivery.Rejected unknown(int n, String correlation) {
    return new ValidatedDelivery.Rejected(
        Messages.delivery(
            Messages.id(n).toString(), "created", correlation, "s", "{\"n\":" + n + "}"),
        null,
        QuarantineReason.UNKNOWN_TYPE,
        "nobody knew it");
  }
}
