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
 * Puts dead letters back into the queue that they died in, one at a time.
 *
 * <p>Each is published, confirmed by the broker, and only then acknowledged. Whoever dies in
 * between leaves it in both queues, and the inbox knows the second one for a duplicate.
 *
 * <p>Some stay: no client can read their headers, or write them again, or they are of another
 * queue. The broker takes it amiss if they are held for long, and then gives everything back; so
 * they are given back before, and passed once more, as they come first again.
 */
public final class DeadLetterRecovery {

  private static final Duration CONFIRM_PATIENCE = Duration.ofSeconds(30);

  /** Less than the shortest time that a broker can be set to wait for an acknowledgement. */
  private static final Duration HOLD = Duration.ofSeconds(30);

  /**
   * What became of the dead letters.
   *
   * @param recovered those that are back in their queue
   * @param unreadable those that stay because no client can read their headers
   * @param unpublishable those that stay because no client can publish them as they are
   * @param ofOthers those that stay because they did not die in this queue
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
   * Begins to recover.
   *
   * @param queue the queue to put them back into
   * @param from the queue that they are in
   * @throws InboxException if one of the queues is not there
   */
  public static DeadLetterRecovery of(Connection connection, String queue, String from)
      throws IOException {
    return of(connection, queue, from, HOLD);
  }

  /**
   * @param hold how long those that stay are held at most before they are given back
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

  /** One way along the letters, from the first that stays, until that was held for too long. */
  private final class Pass {

    private final long most;
    private long recovered;

    /** The last that was taken and not acknowledged, or 0. */
    private long last;

    Pass(long most) {
      this.most = most;
    }

    /** Returns whether there are more, to be looked at in another pass. */
    boolean run(Map<Fate, Long> stay, long before, LongConsumer progress) throws IOException {
      long since = System.nanoTime();
      for (long looked = 0; looked < most; looked++) {
        boolean tooLong = last > 0 && System.nanoTime() - since > hold.toNanos();
        if (tooLong && recovered > 0) { // or else the next pass would get no further
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

  /** In the inbox's own dead-letter queue, what does not say where it died is of its queue. */
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
            .userId(null) // the broker takes only that of whoever publishes
            .build();
    try {
      giving.basicPublish("", queue, true, properties, letter.getBody());
    } catch (IllegalArgumentException e) {
      giving.abort(); // it waits for the confirmation of what it has not sent
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
  private void release(long last) throws IOException {
    try {
      if (last > 0 && taking.isOpen()) {
        taking.basicNack(last, true, true);
      }
    } catch (ShutdownSignalException e) {
      return; // then it has them back already
    }
  }
}
