package io.inbox4j.internal.run;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A handler's view of the transaction, valid while the handler and the middleware around it run:
 * after that the transaction belongs to other messages, or has ended. Later use, from any thread,
 * throws.
 */
public final class HandlerTransaction implements EventTransaction {

  private final WorkTransaction transaction;
  private final PendingWrites writes;
  private final OutgoingBuffer outgoing;
  private boolean ended;

  HandlerTransaction(WorkTransaction transaction, PendingWrites writes, OutgoingBuffer outgoing) {
    this.transaction = transaction;
    this.writes = writes;
    this.outgoing = outgoing;
  }

  /** The exception for use after the handler has returned. */
  public static IllegalStateException tooLate() {
    return new IllegalStateException(
        "the handler has returned, or its time was up: its context can be used no more, and what is"
            + " asked for now would be lost");
  }

  /** Runs an action unless the handler has returned. */
  synchronized void meanwhile(Runnable work) {
    if (ended) {
      throw tooLate();
    }
    work.run();
  }

  /** Applies an effect. */
  public synchronized void apply(EventContext.Effect effect) throws Exception {
    if (ended) {
      throw tooLate();
    }
    effect.apply(this);
  }

  @Override
  public synchronized <T> T unwrap(Class<T> type) {
    if (ended) {
      throw tooLate();
    }
    writes.send();
    return transaction.unwrap(type);
  }

  @Override
  public synchronized void write(String statement, @Nullable Object... arguments) {
    if (ended) {
      throw tooLate();
    }
    writes.add(new Write(statement, Arrays.asList(arguments)));
  }

  /** Sends a message if the transaction commits. */
  synchronized void publish(StoredOutgoing message) {
    if (ended) {
      throw tooLate();
    }
    outgoing.add(message);
  }

  /** Marks the handler as returned. Waits for an effect that another thread is applying. */
  synchronized void end() {
    ended = true;
  }
}
