package io.inbox4j.rabbitmq;

import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.transport.SendResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a channel that the broker has not confirmed yet, numbered as the broker numbers
 * them. Thread-safe; the thread that reads from the broker never waits here.
 *
 * <p>The broker returns a message that it has no queue for before it confirms it, and it returns
 * messages in the order in which they were published. A return does not have the number of its
 * message: it is the first one behind that of the last return that has its id and went the same
 * way. The same message may be in flight twice, after it was sent again; if it is returned only
 * once, because a queue has gone meanwhile, one of its results says so, whichever it is.
 */
final class Unconfirmed {

  private final NavigableMap<Long, Sent> byTag = new TreeMap<>();
  private long lastTag;
  private long lastReturned;
  private @Nullable String end;

  /** A message that is being written, and where its result belongs. */
  static final class Sent {

    private final AmqpMessage message;
    private final SentMessages batch;
    private final int index;
    private @Nullable SendResult returned;

    Sent(AmqpMessage message, SentMessages batch, int index) {
      this.message = message;
      this.batch = batch;
      this.index = index;
    }

    AmqpMessage message() {
      return message;
    }

    void settle(SendResult result) {
      batch.settle(index, returned == null ? result : returned);
    }

    private boolean is(String messageId, String exchange, String routingKey) {
      return message.id().toString().equals(messageId)
          && message.exchange().equals(exchange)
          && message.routingKey().equals(routingKey);
    }
  }

  /**
   * Adds the next message, just before it is written. If this has ended, the message is settled
   * instead.
   *
   * @return whether it is to be written
   */
  synchronized boolean add(Sent sent) {
    if (end != null) {
      sent.settle(new SendResult.Unknown(end));
      return false;
    }
    byTag.put(++lastTag, sent);
    return true;
  }

  /** Settles what the broker has confirmed or refused: one message, or all up to it. */
  synchronized void settle(long tag, boolean multiple, SendResult result) {
    Map<Long, Sent> settled =
        multiple ? byTag.headMap(tag, true) : byTag.subMap(tag, true, tag, true);
    settled.values().forEach(sent -> sent.settle(result));
    settled.clear();
    notifyAll();
  }

  /**
   * Notes that the broker has no queue for a message, which it confirms next.
   *
   * @return whether the message was found
   */
  synchronized boolean returned(
      String messageId, String exchange, String routingKey, SendResult result) {
    for (Map.Entry<Long, Sent> later : byTag.tailMap(lastReturned, false).entrySet()) {
      if (later.getValue().is(messageId, exchange, routingKey)) {
        later.getValue().returned = result;
        lastReturned = later.getKey();
        return true;
      }
    }
    return false;
  }

  /** Accepts no more messages, and returns those of which nothing is known, once, to be settled. */
  synchronized List<Sent> end(String why) {
    if (end == null) {
      end = why;
    }
    List<Sent> left = new ArrayList<>();
    for (Sent sent : byTag.values()) {
      if (sent.returned == null) {
        left.add(sent);
      } else {
        sent.settle(sent.returned);
      }
    }
    byTag.clear();
    notifyAll();
    return left;
  }

  /** Why it has ended, or null. */
  synchronized @Nullable String ended() {
    return end;
  }

  synchronized boolean isEmpty() {
    return byTag.isEmpty();
  }

  /** Waits until everything is confirmed, or this has ended; returns whether it is so in time. */
  synchronized boolean awaitEmpty(Duration atMost) throws InterruptedException {
    Deadline deadline = Deadline.in(atMost);
    while (!byTag.isEmpty() && !deadline.hasPassed()) {
      TimeUnit.NANOSECONDS.timedWait(this, deadline.left().toNanos());
    }
    return byTag.isEmpty();
  }

  /** The ids of messages. */
  static List<UUID> ids(List<Sent> messages) {
    return messages.stream().map(sent -> sent.message().id()).toList();
  }
}
