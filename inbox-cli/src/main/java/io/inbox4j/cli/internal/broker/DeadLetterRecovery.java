package io.inbox4j.cli.internal.broker;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.error.InboxException;
import io.inbox4j.transport.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves dead letters back into the queue that they were dead-lettered from, one at a time.
 *
 * <p>Each is published, confirmed by the broker, and only then acknowledged. A crash in between
 * leaves it in both queues, and the inbox recognises the second one as a duplicate.
 *
 * <p>Some stay: no client can read their headers or write them again, or they come from another
 * queue. If they are held for long, the broker closes the channel and requeues everything; so they
 * are returned before that, and passed over once more, because they come first again.
 */
public final class DeadLetterRecovery {

  private static final Duration CONFIRM_PATIENCE = Duration.ofSeconds(30);

  /** Less than the shortest acknowledgement timeout that a broker can be configured with. */
  private static final Duration HOLD = Duration.ofSeconds(30);

  /**
   * What happened to the dead letters.
   *
   * @param recovered those that are back in their queue
   * @param unreadable those that stay because no client can read their headers
   * @param unpublishable those that stay because no client can publish them unchanged
   * @param ofOthers those that stay because they were not dead-lettered from this queue
   * @param waiting all that are left
   */
  public record Report(
      long recovered, long unreadable, long unpublishable, long ofOthers, long waiting) {}

  private enum Fate {
    RECOVERED,
    UNREADABLE,
    UNPUBLISHABLE,
    OF_OTHERS
  }

  private final String queue;
  private final String from;
  private final Connection connection;
  private final Duration hold;
  private final Channel taking;
  private final AtomicReference<@Nullable String> returned = new AtomicReference<>();
  private Channel giving;

  private DeadLetterRecovery(Connection connection, String queue, String from, Duration hold)
      throws IOException {
    this.connection = connection;
    this.queue = queue;
    this.from = from;
    this.hold = hold;
    this.taking = connection.createChannel();
    this.giving = newGiving();
  }

  /**
   * Prepares a recovery.
   *
   * @param queue the queue to move them back into
   * @param from the queue that they are in
   * @throws InboxException if one of the queues does not exist
   */
  public static DeadLetterRecovery of(Connection connection, String queue, String from)
      throws IOException {
    return of(connection, queue, from, HOLD);
  }

  /**
   * @param hold the maximum time for which those that stay are held before they are returned
   */
  static DeadLetterRecovery of(Connection connection, String queue, String from, Duration hold)
      throws IOException {
    requireThere(connection, queue);
    requireThere(connection, from);
    return new DeadLetterRecovery(connection, queue, from, hold);
  }

  private Channel newGiving() throws IOException {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.addReturnListener(message -> returned.set(message.getReplyText()));
    return channel;
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

  /** The number of dead letters. */
  public long waiting() throws IOException {
    return taking.messageCount(from);
  }

  /**
   * Recovers up to this many of them, and none that was dead-lettered after the call.
   *
   * @param progress receives the number examined so far
   * @throws InboxException if the broker does not accept one; it and those behind it stay
   */
  public Report run(long limit, LongConsumer progress) throws IOException {
    long all = Math.min(limit, waiting());
    long recovered = 0;
    boolean goOn = true;
    Map<Fate, Long> stay = new EnumMap<>(Fate.class);
    while (goOn) {
      stay.clear();
      Pass pass = new Pass(all - recovered);
      try {
        goOn = pass.run(stay, recovered, progress);
      } finally {
        release(pass.last);
      }
      recovered += pass.recovered;
    }
    return new Report(
        recovered,
        stay.getOrDefault(Fate.UNREADABLE, 0L),
        stay.getOrDefault(Fate.UNPUBLISHABLE, 0L),
        stay.getOrDefault(Fate.OF_OTHERS, 0L),
        waiting());
  }

  /** One pass over the letters, until the first that stays has been held for too long. */
  private final class Pass {

    private final long most;
    private long recovered;

    /** The tag of the last one taken and not acknowledged, or 0. */
    private long last;

    Pass(long most) {
      this.most = most;
    }

    /** Returns whether there are more, to be examined in another pass. */
    boolean run(Map<Fate, Long> stay, long before, LongConsumer progress) throws IOException {
      long since = System.nanoTime();
      for (long looked = 0; looked < most; looked++) {
        boolean tooLong = last > 0 && System.nanoTime() - since > hold.toNanos();
        if (tooLong && recovered > 0) { // otherwise the next pass would get no further
          return true;
        }
        GetResponse letter = taking.basicGet(from, false);
        if (letter == null) {
          return false;
        }
        long tag = letter.getEnvelope().getDeliveryTag();
        long held = last;
        since = held > 0 ? since : System.nanoTime();
        last = tag;
        Fate fate = handle(letter);
        if (fate == Fate.RECOVERED) {
          taking.basicAck(tag, false);
          last = held;
          recovered++;
        } else {
          stay.merge(fate, 1L, Long::sum);
        }
        progress.accept(before + looked + 1);
      }
      return false;
    }
  }

  private Fate handle(GetResponse letter) throws IOException {
    Map<String, Object> headers = headers(letter);
    if (headers.containsKey(Delivery.UNREADABLE_HEADERS)) {
      return Fate.UNREADABLE;
    }
    if (!diedHere(headers)) {
      return Fate.OF_OTHERS;
    }
    return publish(letter, headers) ? Fate.RECOVERED : Fate.UNPUBLISHABLE;
  }

  private static Map<String, Object> headers(GetResponse letter) {
    Map<String, Object> headers = letter.getProps().getHeaders();
    return headers == null ? Map.of() : headers;
  }

  /**
   * In the inbox's own dead-letter queue, a letter without a record of its origin is of its queue.
   */
  private boolean diedHere(Map<String, Object> headers) {
    if (headers.get("x-death") instanceof List<?> deaths
        && !deaths.isEmpty()
        && deaths.get(0) instanceof Map<?, ?> last) {
      return queue.equals(String.valueOf(last.get("queue")));
    }
    return from.equals(queue + Broker.DEAD_LETTER_SUFFIX);
  }

  /** Returns false if the client cannot write it: text that is not UTF-8 is longer when written. */
  private boolean publish(GetResponse letter, Map<String, Object> headers) throws IOException {
    BasicProperties properties =
        letter
            .getProps()
            .builder()
            .headers(ownHeaders(headers))
            .userId(null) // the broker accepts only the publisher's own
            .build();
    try {
      giving.basicPublish("", queue, true, properties, letter.getBody());
    } catch (IllegalArgumentException e) {
      giving.abort(); // it waits for a confirm of something it never sent
      giving = newGiving();
      return false;
    }
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
    return true;
  }

  /**
   * Removes the headers that the broker set on delivery or dead-lettering, and those naming other
   * queues to route it to, which have it already.
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

  /** Returns them explicitly: after a lost connection it would count as a failed delivery. */
  private void release(long last) throws IOException {
    try {
      if (last > 0 && taking.isOpen()) {
        taking.basicNack(last, true, true);
      }
    } catch (ShutdownSignalException e) {
      return; // then the broker has requeued them already
    }
  }
}
