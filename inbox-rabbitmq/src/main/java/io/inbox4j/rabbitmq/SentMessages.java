package io.inbox4j.rabbitmq;

import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.SendResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A batch of messages and what is known of each. Thread-safe; the first result of each stays. */
final class SentMessages implements MessageSender.SentBatch {

  private final @Nullable SendResult[] results;
  private final Consumer<String> giveUp;
  private int open;
  private boolean told;

  /**
   * @param giveUp gives up the connection, for the given reason
   */
  SentMessages(int size, Consumer<String> giveUp) {
    this.results = new SendResult[size];
    this.giveUp = giveUp;
    this.open = size;
  }

  synchronized void settle(int index, SendResult result) {
    if (results[index] == null) {
      results[index] = result;
      open--;
      notifyAll();
    }
  }

  /** Settles all that have no result yet, from this one on. */
  synchronized void settleFrom(int first, SendResult result) {
    for (int i = first; i < results.length; i++) {
      settle(i, result);
    }
  }

  synchronized boolean hasUnknown() {
    return Arrays.stream(results).anyMatch(SendResult.Unknown.class::isInstance);
  }

  /** Whether the caller knows the results. */
  synchronized boolean isTold() {
    return told;
  }

  /** Whether nothing has to be sent again, as far as the caller does not know of it. */
  synchronized boolean isAnswered() {
    return told || (open == 0 && !hasUnknown());
  }

  /** Waits for the result of one message; returns null if the time is up. */
  synchronized @Nullable SendResult await(int index, Duration atMost) throws InterruptedException {
    Deadline deadline = Deadline.in(atMost);
    while (results[index] == null && !deadline.hasPassed()) {
      TimeUnit.NANOSECONDS.timedWait(this, deadline.left().toNanos());
    }
    return results[index];
  }

  private synchronized boolean awaitAll(Duration atMost) throws InterruptedException {
    Deadline deadline = Deadline.in(atMost);
    while (open > 0 && !deadline.hasPassed()) {
      TimeUnit.NANOSECONDS.timedWait(this, deadline.left().toNanos());
    }
    return open == 0;
  }

  @Override
  public List<SendResult> await(Duration atMost) throws InterruptedException {
    if (!awaitAll(atMost)) {
      String why = "the broker has not confirmed it within " + atMost;
      giveUp.accept(why);
      settleFrom(0, new SendResult.Unknown(why));
    }
    synchronized (this) {
      told = true;
      return List.of(results);
    }
  }
}
