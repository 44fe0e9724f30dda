package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConnectionLossTest {

  private static final AMQP.Channel.Close WORD =
      new AMQP.Channel.Close.Builder().replyCode(200).replyText("Closed").build();

  @Test
  void whatTheBrokerHasClosedAndWhatBrokeIsLost() {
    assertThat(ConnectionLoss.is(new ShutdownSignalException(false, false, WORD, null))).isTrue();
    ShutdownSignalException broken = new ShutdownSignalException(true, false, null, null);
    broken.initCause(new EOFException());
    assertThat(ConnectionLoss.is(broken)).isTrue();
    assertThat(ConnectionLoss.is(new IOException("an acknowledgement that was not sent"))).isTrue();
  }

  /** As it does when a consumer has thrown something, out of memory for example. */
  @Test
  void whatTheClientHasClosedItselfIsNot() {
    assertThat(ConnectionLoss.is(new ShutdownSignalException(false, true, WORD, null))).isFalse();
    assertThat(ConnectionLoss.is(new OutOfMemoryError())).isFalse();
  }
}
