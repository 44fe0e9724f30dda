package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.endtoend.BadInput.Fate;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.RabbitServer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Whatever a producer sends has a defined end, and the queue goes on. */
class BadInputTest {

  private static final String QUEUE = "bad-input";

  private static final Outcomes outcomes = new Outcomes();
  private static Database database;
  private static Inbox inbox;
  private static Publisher publisher;
  private static Publisher deadLetters;

  @BeforeAll
  static void start() throws Exception {
    database = Database.fresh();
    inbox =
        Inboxes.on(database)
            .listener(outcomes)
            .subscribe(
                QUEUE,
                queue ->
                    queue
                        .on(OrderPlaced.class, Effects::placed)
                        .on(OrderCancelled.class, Effects::cancelled)
                        .orderedByHeader(BadInput.ORDERING_KEY)
                        .retry(RetryPolicy.immediate(2))
                        .maxBodySize(BadInput.MAX_BODY)
                        .maxHeaderSize(BadInput.MAX_HEADERS))
            .build();
    inbox.start();
    publisher = new Publisher(Inboxes.amqp(), QUEUE);
    deadLetters = new Publisher(Inboxes.amqp(), QUEUE + ".dead-letter");
    publisher.order(BadInput.STORED);
    eventually(() -> assertThat(database.effects()).isOne());
  }

  @AfterAll
  static void stop() throws Exception {
    deadLetters.close();
    publisher.close();
    inbox.close();
  }

  @TestFactory
  Stream<DynamicTest> endsAsItShouldAndTheNextMessageIsHandled() {
    return Stream.concat(
        BadInput.all().map(input -> DynamicTest.dynamicTest(input.name(), () -> check(input))),
        Stream.of(DynamicTest.dynamicTest("nothing is left or lost", BadInputTest::checkTheEnd)));
  }

  private static void check(BadInput input) throws Exception {
    int quarantinedBefore = (int) database.count("SELECT count(*) FROM inbox_quarantine");
    long deadBefore = database.count("SELECT count(*) FROM inbox_dead");
    String next = "after " + input.name();
    publisher.send(input.properties(), input.body());
    publisher.order(next);
    eventually(() -> assertThat(database.effectsOf(next)).isOne());

    switch (input.fate()) {
      case QUARANTINED -> {
        List<QuarantinedMessage> after = quarantined();
        assertThat(after).hasSize(quarantinedBefore + 1);
        assertKept(after.get(quarantinedBefore), input);
      }
      case DEAD -> {
        eventually(() -> assertThat(dead()).hasSize((int) deadBefore + 1));
        assertThat(dead()).anyMatch(it -> it.error().contains(input.explanation()));
      }
      case HANDLED -> eventually(() -> assertThat(database.effectsOf(input.name())).isOne());
      case DUPLICATE -> assertThat(database.effectsOf(BadInput.STORED)).isOne();
    }
    assertThat(outcomes.disconnected).hasValue(0);
  }

  private static void assertKept(QuarantinedMessage kept, BadInput input) {
    assertThat(kept.reason()).isEqualTo(input.reason());
    assertThat(kept.detail()).contains(input.explanation()).doesNotContain("\n");
    assertThat(kept.delivery().body()).isEqualTo(input.body());
    if (!(input.properties() instanceof RawProperties)) {
      assertThat(kept.delivery().messageId()).isEqualTo(input.properties().getMessageId());
      assertThat(kept.delivery().type()).isEqualTo(input.properties().getType());
      assertThat(kept.delivery().contentType()).isEqualTo(input.properties().getContentType());
    }
  }

  /** Every input is where it should be and nowhere else; the queue has none in flight. */
  private static void checkTheEnd() throws Exception {
    long inputs = BadInput.all().count();
    assertThat(quarantined()).hasSize(count(Fate.QUARANTINED));
    assertThat(dead()).hasSize(count(Fate.DEAD));
    assertThat(deadLetters.ready()).isZero();
    assertThat(database.effects()).isEqualTo(1 + inputs + count(Fate.HANDLED));
    assertThat(database.pending()).isZero();
    eventually(() -> assertThat(Queues.count(RabbitServer.shared(), QUEUE, "messages")).isZero());
  }

  private static int count(Fate fate) {
    return (int) BadInput.all().filter(input -> input.fate() == fate).count();
  }

  private static List<QuarantinedMessage> quarantined() {
    return inbox.quarantine().list(MessageFilter.all().endpoint(QUEUE), 1_000);
  }

  private static List<DeadMessage> dead() {
    return inbox.deadLetters().list(MessageFilter.all().endpoint(QUEUE), 1_000);
  }
}
