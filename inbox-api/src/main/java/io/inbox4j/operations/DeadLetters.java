package io.inbox4j.operations;

import io.inbox4j.InboxListener;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.InboxStore;
import java.util.List;
import java.util.function.Consumer;

/** The messages that were given up on. Thread-safe. */
public final class DeadLetters {

  private static final int PAGE = 500;

  private final InboxStore store;
  private final SafeListener listener;
  private final Consumer<String> wake;

  /**
   * @param wake called with an endpoint that has something to do again
   */
  public DeadLetters(InboxStore store, SafeListener listener, Consumer<String> wake) {
    this.store = store;
    this.listener = listener;
    this.wake = wake;
  }

  /** The first of those that the filter means, in arrival order. */
  public List<DeadMessage> list(MessageFilter filter, int limit) {
    return store.listDead(filter, limit);
  }

  /**
   * Lets all that the filter means be handled again, in arrival order, with all their attempts.
   *
   * <p>It works in pages, each a transaction. Running it twice, or at the same time in two places,
   * replays nothing twice.
   *
   * @return how many
   */
  public int replay(MessageFilter filter) {
    int replayed = 0;
    long after = 0;
    List<DeadMessage> page;
    do {
      page = store.replayDead(filter, after, PAGE);
      replayed += page.size();
      after = page.isEmpty() ? after : page.get(page.size() - 1).sequence();
      for (DeadMessage dead : page) {
        listener.tell(
            l ->
                l.replayed(
                    new InboxListener.Message(dead.endpoint(), dead.messageId(), dead.type())));
      }
      page.stream().map(DeadMessage::endpoint).distinct().forEach(wake);
    } while (page.size() == PAGE);
    return replayed;
  }
}
