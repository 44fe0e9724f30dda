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
   * <p>A message that the broker refuses may take others with it, which are unknown then. When they
   * are sent again, this may wait for the confirm of each, until it is known which one is {@link
   * SendResult.Rejected}; but it never waits for much longer than a minute in all: what was not
   * sent by then is unknown.
   *
   * <p>If something of a batch is {@link SendResult.Unknown}, those that are sent after it are
   * unknown, too, and not sent, until the caller has awaited the last of them: otherwise they would
   * overtake what is sent again. The caller awaits all batches in flight, in order, and then sends
   * what is unknown again, in order, before anything else.
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
