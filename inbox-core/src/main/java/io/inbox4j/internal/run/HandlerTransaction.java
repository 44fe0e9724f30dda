package io.inbox4j.internal.run;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;

/**
 * A transaction for as long as a handler and the middleware around it run: after that it is other
 * messages', or has ended. Whoever comes too late is told so, on whichever thread.
 */
public final class HandlerTransaction implements EventTransaction {

  private final EventTransaction transaction;
  private boolean ended;

  HandlerTransaction(EventTransaction transaction) {
    this.transaction = transaction;
  }

  /** What an exception says to those who come too late. */
  public static IllegalStateException tooLate() {
    return new IllegalStateException(
        "the handler has returned, or its time was up: its context can be used no more, and what is"
            + " asked for now would be lost");
  }

  /** Does something before the handler's return is heeded. */
  synchronized void meanwhile(Runnable work) {
    if (ended) {
      throw tooLate();
    }
    work.run();
  }

  synchronized void apply(EventContext.Effect effect) throws Exception {
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
    return transaction.unwrap(type);
  }

  /** The handler has returned. Waits for an effect that another thread is about to have. */
  synchronized void end() {
    ended = true;
  }
}
