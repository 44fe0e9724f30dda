package io.inbox4j.internal;

import io.inbox4j.InboxListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All listeners of an inbox; what one of them throws is logged and stops nothing. */
public final class SafeListener {

  private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

  private final List<InboxListener> listeners;

  public SafeListener(List<InboxListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Whether nobody listens, so that nothing needs to be told. */
  public boolean isEmpty() {
    return listeners.isEmpty();
  }

  /** Tells every listener. */
  public void tell(Consumer<InboxListener> outcome) {
    for (InboxListener listener : listeners) {
      try {
        outcome.accept(listener);
      } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
        log.error(
            "The listener {} failed; the message is not affected.",
            listener.getClass().getName(),
            e);
      }
    }
  }
}
