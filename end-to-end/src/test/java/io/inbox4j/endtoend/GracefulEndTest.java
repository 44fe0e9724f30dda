package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process that receives and handles under load is asked to end: it is gone in time, whatever its
 * handlers and its servers do, and the next one finds every message once.
 */
@Tag("slow")
class GracefulEndTest {

  private static final Duration DEADLINE = Duration.ofSeconds(2);

  /** For what is cut off at the deadline to let go, on a machine that others use too. */
  private static final Duration MARGIN = Duration.ofSeconds(6);

  private static final int ORDERS = 2_000;
  private static final int TERMINATED = 128 + 15;

  private static RabbitServer broker;
  private static PostgresServer server;

  private final Database database = Database.at(server.newDatabase());
  private final String queue = Inboxes.newQueue("graceful");

  @BeforeAll
  static void startServers() {
    broker = RabbitServer.start();
    server = PostgresServer.start();
  }

  @AfterAll
  static void stopServers() {
    broker.close();
    server.close();
  }

  @Test
  void transactionalHandlersUnderLoad() throws Exception {
    endsWithNothingLostOrDoubled("transactional", () -> {}, () -> {});
  }

  @Test
  void inlineHandlersUnderLoad() throws Exception {
    endsWithNothingLostOrDoubled("inline", () -> {}, () -> {});
  }

  @Test
  void leasedHandlersUnderLoad() throws Exception {
    endsWithNothingLostOrDoubled("leased", () -> {}, () -> {});
  }

  @Test
  void aTransactionalHandlerThatTakesTooLong() throws Exception {
    isHandledByTheNextProcess("transactional");
  }

  @Test
  void anInlineHandlerThatTakesTooLong() throws Exception {
    isHandledByTheNextProcess("inline");
  }

  @Test
  void aLeasedHandlerThatTakesTooLongAndIgnoresTheInterrupt() throws Exception {
    isHandledByTheNextProcess("leased");
  }

  @Test
  void transactionalHandlersWhileTheDatabaseIsFrozen() throws Exception {
    endsWithNothingLostOrDoubled("transactional", server::freeze, server::unfreeze);
  }

  @Test
  void inlineHandlersWhileTheDatabaseIsFrozen() throws Exception {
    endsWithNothingLostOrDoubled("inline", server::freeze, server::unfreeze);
  }

  @Test
  void leasedHandlersWhileTheDatabaseIsFrozen() throws Exception {
    endsWithNothingLostOrDoubled("leased", server::freeze, server::unfreeze);
  }

  @Test
  void whileTheDatabaseIsAway() throws Exception {
    endsWithNothingLostOrDoubled("leased", server::kill9, server::restart);
  }

  @Test
  void whileTheBrokerIsFrozen() throws Exception {
    assumeThat(broker.isOwn()).as("a broker that can be frozen").isTrue();
    endsWithNothingLostOrDoubled("transactional", broker::freeze, broker::unfreeze);
  }

  @Test
  void whileTheBrokerIsAway() throws Exception {
    assumeThat(broker.isOwn()).as("a broker that can be stopped").isTrue();
    endsWithNothingLostOrDoubled("inline", broker::stopApp, broker::startApp);
  }

  private void endsWithNothingLostOrDoubled(String handling, Runnable fault, Runnable end)
      throws Exception {
    Inboxes.declare(database, broker.uri(), queue, subscription -> {});
    List<String> confirmed;
    try (Load load = Load.start(broker.uri(), queue, ORDERS);
        ChildProcess service = service(handling)) {
      eventually(() -> assertThat(database.effects()).isGreaterThan(200));
      try {
        fault.run();
        assertThat(timeToEnd(service)).isLessThan(DEADLINE.plus(MARGIN));
      } finally {
        end.run();
      }
      confirmed = load.stop();
    }
    try (ChildProcess next = service(handling)) {
      next.awaitLine("started", LIMIT);
      eventually(() -> assertThat(database.orders()).containsAll(confirmed));
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).doesNotHaveDuplicates();
    assertThat(database.count("SELECT count(*) FROM inbox WHERE status <> 'processed'")).isZero();
  }

  private void isHandledByTheNextProcess(String handling) throws Exception {
    Inboxes.declare(database, broker.uri(), queue, subscription -> {});
    try (Publisher publisher = new Publisher(broker.uri(), queue);
        ChildProcess service = service(handling, "stopAt=o5")) {
      service.awaitLine("started", LIMIT);
      publisher.orders("o", 10);
      service.awaitLine("stopped at o5", LIMIT);
      assertThat(timeToEnd(service)).isBetween(DEADLINE.minusSeconds(1), DEADLINE.plus(MARGIN));
    }
    assertThat(database.orders()).doesNotContain("o5");
    try (ChildProcess next = service(handling)) {
      next.awaitLine("started", LIMIT);
      eventually(() -> assertThat(database.effects()).isEqualTo(10));
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).hasSize(10).doesNotHaveDuplicates();
  }

  private ChildProcess service(String handling, String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("handling=" + handling, "deadline=" + DEADLINE, "lease=PT5S"));
    return OrderService.whole(database, broker.uri(), queue, all.toArray(String[]::new));
  }

  private static Duration timeToEnd(ChildProcess service) {
    long begin = System.nanoTime();
    service.terminate();
    assertThat(service.exitCode(LIMIT)).isEqualTo(TERMINATED);
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
