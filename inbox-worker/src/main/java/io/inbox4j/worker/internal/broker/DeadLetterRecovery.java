package io.inbox4j.worker.internal.broker;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.InboxException;
import io.inbox4j.transport.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts dead letters back into the queue that they died in, one at a time.
 *
 * <p>Each is published, confirmed by the broker, and only then acknowledged. Whoever dies in
 * between leaves it in both queues, and the inbox knows the second one for a duplicate. Those that
 * stay (no client can read their headers, or they are of another queue) are given back at the end.
 */
public final class DeadLetterRecovery {

  private static final Duration CONFIRM_PATIENCE = Duration.ofSeconds(30);

  /**
   * What became of the dead letters.
   *
   * @param recovered those that are back in their queue
   * @param unreadable those that stay because no client can read their headers
   * @param ofOthers those that stay because they did not die in this queue
   * @param waiting those that were not looked at
   */
  public record Report(long recovered, long unreadable, long ofOthers, long waiting) {}

  private final String queue;
  private final String from;
  private final Channel taking;
  private final Channel giving;
  private final AtomicReference<@Nullable String> returned = new AtomicReference<>();

  private DeadLetterRecovery(String queue, String from, Channel taking, Channel giving) {
    this.queue = queue;
    this.from = from;
    this.taking = taking;
    this.giving = giving;
  }

  /**
   * Begins to recover.
   *
   * @param queue the queue to put them back into
   * @param from the queue that they are in
   * @throws InboxException if one of the queues is not there
   */
  public static DeadLetterRecovery of(Connection connection, String queue, String from)
      throws IOException {
    requireThere(connection, queue);
    requireThere(connection, from);
    Channel giving = connection.createChannel();
    giving.confirmSelect();
    DeadLetterRecovery recovery =
        new DeadLetterRecovery(queue, from, connection.createChannel(), giving);
    giving.addReturnListener(message -> recovery.returned.set(message.getReplyText()));
    return recovery;
  }

  private static void requireThere(Connection connection, String name) throws IOException {
    Channel channel = connection.createChannel();
    try {
      channel.queueDeclarePassive(name);
      channel.close();
    } catch (IOException e) {
      throw new InboxException("the queue '%s': %s".formatted(name, Broker.refusal(e)), e);
    } catch (TimeoutException e) {
      throw new IOException("the broker does not answer", e);
    }
  }

  /** How many dead letters there are. */
  public long waiting() throws IOException {
    return taking.messageCount(from);
  }

  /**
   * Recovers up to a number of them, and none that died after the call.
   *
   * @param progress told how many were looked at so far
   * @throws InboxException if the broker does not take one; it and those behind it stay
   */
  public Report run(long limit, LongConsumer progress) throws IOException {
    long all = Math.min(limit, waiting());
    long recovered = 0;
    long unreadable = 0;
    long ofOthers = 0;
    long lastLeft = 0;
    long inHand = 0;
    try {
      for (long i = 0; i < all; i++) {
        GetResponse letter = taking.basicGet(from, false);
        if (letter == null) {
          break;
        }
        long tag = letter.getEnvelope().getDeliveryTag();
        Map<String, Object> headers = headers(letter);
        if (headers.containsKey(Delivery.UNREADABLE_HEADERS)) {
          unreadable++;
          lastLeft = tag;
        } else if (!diedHere(headers)) {
          ofOthers++;
          lastLeft = tag;
        } else {
          inHand = tag;
          publish(letter, headers);
          taking.basicAck(tag, false);
          inHand = 0;
          recovered++;
        }
        progress.accept(i + 1);
      }
    } finally {
      giveBack(Math.max(lastLeft, inHand));
    }
    return new Report(recovered, unreadable, ofOthers, waiting());
  }

  private static Map<String, Object> headers(GetResponse letter) {
    Map<String, Object> headers = letter.getProps().getHeaders();
    return headers == null ? Map.of() : headers;
  }

  /** In the inbox's own dead-letter queue, what does not say where it died is of its queue. */
  private boolean diedHere(Map<String, Object> headers) {
    if (headers.get("x-death") instanceof List<?> deaths
        && !deaths.isEmpty()
        && deaths.get(0) instanceof Map<?, ?> last) {
      return queue.equals(String.valueOf(last.get("queue")));
    }
    return from.equals(queue + Broker.DEAD_LETTER_SUFFIX);
  }

  private void publish(GetResponse letter, Map<String, Object> headers) throws IOException {
    BasicProperties properties =
        letter
            .getProps()
            .builder()
            .headers(ownHeaders(headers))
            .userId(null) // the broker takes only that of whoever publishes
            .build();
    giving.basicPublish("", queue, true, properties, letter.getBody());
    try {
      if (!giving.waitForConfirms(CONFIRM_PATIENCE.toMillis())) {
        throw new InboxException(
            "the broker does not take messages for '%s': the queue is full, or not available"
                .formatted(queue));
      }
    } catch (TimeoutException e) {
      throw new InboxException(
          "the broker has not confirmed a message for %s: it lets nobody publish while it has an alarm"
              .formatted(CONFIRM_PATIENCE),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InboxException("interrupted", e);
    }
    if (returned.get() != null) {
      throw new InboxException(
          "the broker does not take messages for '%s': %s".formatted(queue, returned.get()));
    }
  }

  /**
   * Without those that the broker set when it died or was delivered, and without the names of other
   * queues to send it to, who have it already.
   */
  private static Map<String, Object> ownHeaders(Map<String, Object> headers) {
    Map<String, Object> own = new HashMap<>(headers);
    own.keySet()
        .removeIf(
            name ->
                name.equals("x-death")
                    || name.startsWith("x-first-death-")
                    || name.startsWith("x-last-death-")
                    || name.equals("x-delivery-count")
                    || name.equals("x-acquired-count")
                    || name.equals("CC")
                    || name.equals("BCC"));
    return own;
  }

  /** By a word to the broker: as of a lost connection, it would count as a failed delivery. */
  private void giveBack(long last) throws IOException {
    try {
      if (last > 0 && taking.isOpen()) {
        taking.basicNack(last, true, true);
      }
    } catch (ShutdownSignalException e) {
      return; // then it has them back already
    }
  }
}
