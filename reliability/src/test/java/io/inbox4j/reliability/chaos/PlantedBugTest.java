package io.inbox4j.reliability.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.reliability.history.Checker;
import io.inbox4j.reliability.history.Verdict;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The checker finds bugs that are really there, in processes that really die. */
@Tag("slow")
class PlantedBugTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MESSAGES = 1_500;

  private final String jdbcUrl = PostgresServer.shared().newDatabase();
  private final String amqpUri = RabbitServer.shared().uri();
  private final Wire toRabbit = Wire.toRabbit(() -> URI.create(amqpUri).getPort());
  private final Tables tables = Tables.at(jdbcUrl);
  private final Publisher publisher = new Publisher(amqpUri, 42);

  @BeforeEach
  void makeQueues() throws Exception {
    tables.create();
    try (Inbox inbox = WalkService.inbox(WalkService.store(jdbcUrl).build(), amqpUri, false)) {
      inbox.startReceiving();
    }
    Quiet.purge(amqpUri, Walks.queues());
  }

  @AfterEach
  void close() {
    publisher.close();
    toRabbit.close();
  }

  @Test
  void ackBeforeCommitLoses() throws Exception {
    publish();
    try (ChildProcess receiver = start(PlantedBug.ACK_BEFORE_COMMIT, "receive")) {
      receiver.awaitLine("started", LIMIT);
      awaitTrue(() -> tables.stored() > 0);
      receiver.kill9();
    }
    assertThat(restWithoutBug().lost()).isNotEmpty();
  }

  @Test
  void dedupWithoutTheEndpointLoses() throws Exception {
    publish();
    try (ChildProcess receiver = start(PlantedBug.DEDUP_WITHOUT_THE_ENDPOINT, "receive")) {
      awaitTrue(PlantedBugTest::queuesAreEmpty);
    }
    assertThat(restWithoutBug().lost()).isNotEmpty();
  }

  @Test
  void aSwallowedCommitFailureLoses() throws Exception {
    try (ChildProcess receiver = start(PlantedBug.SWALLOWED_COMMIT_FAILURE, "receive")) {
      receiver.awaitLine("started", LIMIT);
      publish();
      awaitTrue(PlantedBugTest::queuesAreEmpty);
    }
    assertThat(restWithoutBug().lost()).isNotEmpty();
  }

  @Test
  void discardingAfterThreeDatabaseErrorsLoses() throws Exception {
    try (ChildProcess receiver = start(PlantedBug.DISCARD_AFTER_THREE_ERRORS, "receive")) {
      receiver.awaitLine("started", LIMIT);
      refuseWrites(true);
      publish();
      receiver.awaitLine("discarded", LIMIT);
      refuseWrites(false);
      awaitTrue(PlantedBugTest::queuesAreEmpty);
    }
    assertThat(restWithoutBug().lost()).isNotEmpty();
  }

  @Test
  void leasesWithoutFencingDouble() throws Exception {
    publish();
    try (ChildProcess receiver = start(Walker.Role.RECEIVE)) {
      awaitTrue(() -> tables.stored() == publisher.confirmed());
    }
    try (ChildProcess frozen = start(PlantedBug.NO_FENCING, "process")) {
      awaitTrue(() -> tables.count("SELECT count(lease) FROM inbox_pending") > 5);
      frozen.stop();
      assertThat(tables.pending()).isPositive();
      try (ChildProcess worker = start(Walker.Role.PROCESS)) {
        awaitTrue(() -> tables.pending() == 0);
      }
      frozen.cont();
      awaitTrue(() -> !verdict().doubled().isEmpty());
    }
    assertThat(verdict().doubled()).isNotEmpty();
  }

  private ChildProcess start(Walker.Role role) {
    return Walker.start("walker", role, Walker.Kind.USUAL, jdbcUrl, toRabbit).process();
  }

  private ChildProcess start(PlantedBug bug, String role) {
    return PlantedService.start(bug, role, jdbcUrl, amqpUri);
  }

  private void publish() throws InterruptedException {
    for (int i = 0; i < MESSAGES; i++) {
      publisher.publishNext();
    }
    publisher.awaitConfirms();
    assertThat(publisher.confirmed()).isEqualTo(MESSAGES);
  }

  /** Lets processes without a bug do the rest. */
  private Verdict restWithoutBug() throws Exception {
    try (ChildProcess receiver = start(Walker.Role.RECEIVE);
        ChildProcess worker = start(Walker.Role.PROCESS)) {
      receiver.awaitLine("started", LIMIT);
      return verdictAtRest(0);
    }
  }

  private Verdict verdictAtRest(long stored) throws Exception {
    awaitTrue(() -> tables.stored() >= stored && tables.pending() == 0 && queuesAreEmpty());
    return verdict();
  }

  private Verdict verdict() {
    return Checker.check(tables.history(publisher.history(), List.of()));
  }

  private static boolean queuesAreEmpty() {
    return RabbitServer.shared().messagesIn(Walks.queues()) == 0;
  }

  /** Errors come at once, unlike with a database that takes no connections. */
  private void refuseWrites(boolean refuse) {
    tables.execute(
        refuse
            ? "ALTER TABLE inbox_messages RENAME TO inbox_gone"
            : "ALTER TABLE inbox_gone RENAME TO inbox_messages");
  }

  private static void awaitTrue(Quiet.Condition condition) throws InterruptedException {
    assertThat(Quiet.await(LIMIT, condition)).as("came true within %s", LIMIT).isTrue();
  }
}
