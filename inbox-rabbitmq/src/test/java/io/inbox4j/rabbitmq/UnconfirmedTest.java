package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Queue;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.SendResult.Confirmed;
import io.inbox4j.transport.SendResult.Unknown;
import io.inbox4j.transport.SendResult.Unroutable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the broker says of numbers, and of messages that it returns without a number. */
class UnconfirmedTest {

  private static final SendResult CONFIRMED = new Confirmed();
  private static final SendResult UNROUTABLE = new Unroutable("nobody");
  private static final SendResult LOST = new Unknown("lost");

  private final Unconfirmed unconfirmed = new Unconfirmed();
  private final SentMessages batch = new SentMessages(4, why -> {});
  private final OutgoingMessage stock = Outgoing.message(new Queue("stock"));
  private final OutgoingMessage orders = Outgoing.message(new Queue("orders"));

  @Test
  void aReturnAppliesToItsMessageAndNotToOthersThatAreConfirmedWithIt() throws Exception {
    add(stock, orders, stock, orders);
    assertThat(returned(orders)).isTrue();
    unconfirmed.settle(3, true, CONFIRMED);
    unconfirmed.settle(4, false, CONFIRMED);
    assertThat(results()).containsExactly(CONFIRMED, UNROUTABLE, CONFIRMED, CONFIRMED);
  }

  @Test
  void theSameMessageReturnedTwiceIsBothOfThem() throws Exception {
    add(stock, orders, stock, orders);
    assertThat(returned(stock)).isTrue();
    assertThat(returned(stock)).isTrue();
    assertThat(returned(stock)).isFalse();
    unconfirmed.settle(4, true, CONFIRMED);
    assertThat(results()).containsExactly(UNROUTABLE, CONFIRMED, UNROUTABLE, CONFIRMED);
  }

  @Test
  void aMessageThatIsSentAgainIsNotTakenForTheOneThatWasReturnedBefore() throws Exception {
    add(stock, orders, orders);
    assertThat(returned(stock)).isTrue();
    unconfirmed.settle(3, true, CONFIRMED);
    unconfirmed.add(new Unconfirmed.Sent(AmqpMessage.of(stock), batch, 3));
    assertThat(returned(stock)).isTrue();
    unconfirmed.settle(4, true, CONFIRMED);
    assertThat(results()).containsExactly(UNROUTABLE, CONFIRMED, CONFIRMED, UNROUTABLE);
  }

  @Test
  void aReturnOfAMessageThatWasNotSentIsNotFound() {
    add(stock);
    assertThat(returned(orders)).isFalse();
    assertThat(unconfirmed.returned(stock.messageId().toString(), "", "orders", UNROUTABLE))
        .isFalse();
  }

  @Test
  void confirmsComeInAnyOrder() throws Exception {
    add(stock, orders, stock, orders);
    unconfirmed.settle(3, false, CONFIRMED);
    unconfirmed.settle(3, false, LOST);
    unconfirmed.settle(2, true, LOST);
    assertThat(unconfirmed.isEmpty()).isFalse();
    unconfirmed.settle(4, false, CONFIRMED);
    assertThat(unconfirmed.isEmpty()).isTrue();
    assertThat(results()).containsExactly(LOST, LOST, CONFIRMED, CONFIRMED);
  }

  @Test
  void whatIsLeftAtTheEndIsNeitherConfirmedNorReturned() throws Exception {
    add(stock, orders, stock);
    assertThat(returned(orders)).isTrue();
    unconfirmed.settle(1, false, CONFIRMED);
    List<Unconfirmed.Sent> left = unconfirmed.end("lost");
    assertThat(left).hasSize(1);
    left.forEach(it -> it.settle(LOST));
    assertThat(unconfirmed.end("lost again")).isEmpty();
    assertThat(unconfirmed.ended()).isEqualTo("lost");
    assertThat(unconfirmed.add(new Unconfirmed.Sent(AmqpMessage.of(stock), batch, 3))).isFalse();
    unconfirmed.settle(4, true, CONFIRMED);
    assertThat(results()).containsExactly(CONFIRMED, UNROUTABLE, LOST, LOST);
  }

  private void add(OutgoingMessage... messages) {
    for (int i = 0; i < messages.length; i++) {
      assertThat(unconfirmed.add(new Unconfirmed.Sent(AmqpMessage.of(messages[i]), batch, i)))
          .isTrue();
    }
  }

  private boolean returned(OutgoingMessage message) {
    return unconfirmed.returned(
        message.messageId().toString(), "", message.destination().name(), UNROUTABLE);
  }

  private List<SendResult> results() throws InterruptedException {
    return batch.await(Duration.ZERO);
  }
}
