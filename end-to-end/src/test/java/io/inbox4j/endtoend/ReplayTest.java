package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ReplayTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("replay");
  private final AtomicBoolean mended = new AtomicBoolean();

  @Test
  void deadMessagesAreHandledOnceAfterTheirReplay() throws Exception {
    try (Inbox inbox =
            inbox(
                subscription ->
                    subscription.on(OrderPlaced.class, this::mendable).retry(RetryPolicy.never()));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      publisher.orders("o", 3);
      eventually(
          () ->
              assertThat(inbox.deadLetters().list(MessageFilter.all(), 10))
                  .hasSize(3)
                  .allSatisfy(dead -> assertThat(dead.error()).contains("no stock")));
      assertThat(database.effects()).isZero();
      mended.set(true);
      assertThat(inbox.deadLetters().replay(MessageFilter.all().text("no stock"))).isEqualTo(3);
      eventually(() -> assertThat(database.orders()).containsExactly("o0", "o1", "o2"));
      assertThat(inbox.deadLetters().replay(MessageFilter.all())).isZero();
      publisher.orders("o", 3);
      publisher.order("o3");
      eventually(() -> assertThat(database.effectsOf("o3")).isOne());
    }
    assertThat(database.orders()).containsExactly("o0", "o1", "o2", "o3");
  }

  @Test
  void aBodyThatDoesNotFitItsClassIsDeadAtOnceAndSaysWhy() throws Exception {
    try (Inbox inbox = inbox(subscription -> subscription.on(OrderPlaced.class, Effects::placed));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      UUID id = Publisher.idOf("unfit");
      byte[] unfit = "{\"order\":\"unfit\",\"amount\":\"7\"}".getBytes(StandardCharsets.UTF_8);
      publisher.send(Publisher.order(id), unfit);
      publisher.order("next");
      eventually(() -> assertThat(database.orders()).containsExactly("next"));
      eventually(
          () ->
              assertThat(inbox.deadLetters().list(MessageFilter.all(), 10))
                  .singleElement()
                  .satisfies(
                      dead -> {
                        assertThat(dead.messageId()).isEqualTo(id);
                        assertThat(dead.attempts()).isOne();
                        assertThat(dead.error()).contains("the body cannot be read");
                      }));
    }
  }

  @Test
  void quarantinedMessagesAreHandledAfterTheirReplayByAnInboxThatAcceptsThem() throws Exception {
    try (Inbox strict =
            inbox(
                subscription ->
                    subscription.on(OrderPlaced.class, Effects::placed).maxBodySize(20));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      strict.start();
      publisher.orders("o", 2);
      eventually(() -> assertThat(strict.quarantine().list(MessageFilter.all(), 10)).hasSize(2));
      assertThat(strict.quarantine().replay(MessageFilter.all())).isZero();
    }
    try (Inbox generous =
        inbox(subscription -> subscription.on(OrderPlaced.class, Effects::placed))) {
      generous.start();
      String reason = QuarantineReason.BODY_TOO_LARGE.code();
      assertThat(generous.quarantine().replay(MessageFilter.all().text(reason))).isEqualTo(2);
      eventually(() -> assertThat(database.orders()).containsExactly("o0", "o1"));
      assertThat(generous.quarantine().list(MessageFilter.all(), 10)).isEmpty();
    }
  }

  @Test
  void messagesOfAnUnknownTypeComeBackByThemselvesOnceAProcessKnowsIt() throws Exception {
    try (Inbox old = inbox(subscription -> subscription.on(OrderPlaced.class, Effects::placed));
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      old.start();
      publisher.cancellation("early");
      eventually(
          () ->
              assertThat(old.quarantine().list(MessageFilter.all(), 10))
                  .singleElement()
                  .satisfies(
                      it -> assertThat(it.reason()).isEqualTo(QuarantineReason.UNKNOWN_TYPE)));
    }
    try (Inbox upgraded =
        inbox(
            subscription ->
                subscription
                    .on(OrderPlaced.class, Effects::placed)
                    .on(OrderCancelled.class, Effects::cancelled))) {
      upgraded.start();
      eventually(() -> assertThat(database.orders()).containsExactly("early"));
    }
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
  }

  private void mendable(OrderPlaced event, EventContext context) throws Exception {
    Effects.placed(event, context);
    if (!mended.get()) {
      throw new IllegalStateException("no stock");
    }
  }

  private Inbox inbox(Consumer<SubscriptionBuilder> subscription) {
    return Inboxes.on(database).subscribe(queue, subscription).build();
  }
}
