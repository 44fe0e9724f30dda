package io.inbox4j.transport;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to a broker on a connection of its own, which it makes when there is something to
 * send, and makes anew after it was lost.
 *
 * <p>Used by one thread, except for {@link #blocked} and {@link #close}.
 */
public interface MessageSender extends AutoCloseable {

  /**
   * Sends messages in this order, without waiting for the broker's confirms, so that several
   * batches can be in flight. Messages of batches that were sent one after the other arrive in this
   * order.
   *
   * <p>After a batch of which something is {@link SendResult.Unknown} the next one may overtake
   * what is sent again; the caller waits for all batches in flight before it sends that again.
   *
   * @throws BrokerUnavailableException if there is no connection now, or the broker does not accept
   *     messages for longer than the sender waits; some of the messages may have been sent
   */
  SentBatch send(List<OutgoingMessage> messages) throws InterruptedException;

  /**
   * Why the broker accepts no messages at present, such as a memory alarm, or null. Does not wait.
   */
  @Nullable String blocked();

  /** Closes the connection; batches in flight become unknown. */
  @Override
  void close();

  /** Messages that were sent together. */
  interface SentBatch {

    /**
     * Waits until it is known what became of every message, at most for the given time; what is not
     * known by then is {@link SendResult.Unknown}, and the connection is given up.
     *
     * @return a result for each, in the same order
     */
    List<SendResult> await(Duration atMost) throws InterruptedException;
  }
}
