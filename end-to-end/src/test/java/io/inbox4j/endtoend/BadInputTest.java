package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is no event is kept with its bytes and a reason, and the queue goes on. */
class BadInputTest {

  private static final String QUEUE = "bad-input";

  private static Database database;
  private static Inbox inbox;
  private static Publisher publisher;

  @BeforeAll
  static void start() throws Exception {
    database = Database.fresh();
    inbox =
        Inboxes.on(database)
            .subscribe(
                QUEUE,
                queue ->
                    queue
                        .on(OrderPlaced.class, Effects::placed)
                        .on(OrderCancelled.class, Effects::cancelled)
                        .maxBodySize(BadInput.MAX_BODY)
                        .maxHeaderSize(BadInput.MAX_HEADERS))
            .build();
    inbox.start();
    publisher = new Publisher(Inboxes.amqp(), QUEUE);
    publisher.order(BadInput.STORED);
    eventually(() -> assertThat(database.effects()).isOne());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    inbox.close();
  }

  @Test
  void thereAreManyKinds() {
    assertThat(BadInput.all()).hasSizeGreaterThanOrEqualTo(20);
    assertThat(BadInput.all().map(BadInput::name)).doesNotHaveDuplicates();
  }

  @TestFactory
  Stream<DynamicTest> isQuarantinedWithAReasonAndTheNextMessageIsHandled() {
    return BadInput.all().map(input -> DynamicTest.dynamicTest(input.name(), () -> check(input)));
  }

  private static void check(BadInput input) throws Exception {
    int before = quarantined().size();
    String next = "after " + input.name();
    publisher.send(input.properties(), input.body());
    publisher.order(next);
    eventually(() -> assertThat(database.effectsOf(next)).isOne());

    List<QuarantinedMessage> after = quarantined();
    assertThat(after).hasSize(before + 1);
    QuarantinedMessage kept = after.get(before);
    assertThat(kept.reason()).isEqualTo(input.reason());
    assertThat(kept.detail()).contains(input.explanation());
    assertThat(kept.delivery().body()).isEqualTo(input.body());
    assertThat(kept.delivery().messageId()).isEqualTo(input.properties().getMessageId());
    assertThat(kept.delivery().type()).isEqualTo(input.properties().getType());
    assertThat(kept.delivery().contentType()).isEqualTo(input.properties().getContentType());
  }

  private static List<QuarantinedMessage> quarantined() {
    return inbox.quarantine().list(MessageFilter.all().endpoint(QUEUE), 1_000);
  }
}
