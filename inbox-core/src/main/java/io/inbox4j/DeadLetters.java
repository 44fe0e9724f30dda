package io.inbox4j;

import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.OperatorStore;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;

/**
 * The dead messages, and what operators can do with them. Thread-safe.
 *
 * <p>Each replay and discard is recorded with the name of who did it: the operating system user, or
 * the name given to {@link #as}.
 */
public final class DeadLetters {

  private static final int PAGE = 500;

  private final Operator operator;

  DeadLetters(Operator operator) {
    this.operator = operator;
  }

  /**
   * The dead messages in a store, for programs that operate on messages without subscribing to
   * their endpoints.
   */
  public static DeadLetters in(OperatorStore store) {
    return new DeadLetters(Operator.of(store));
  }

  /**
   * Returns a copy that records interventions under this name.
   *
   * @throws IllegalArgumentException if it is blank or longer than 255 characters
   */
  public DeadLetters as(String name) {
    return new DeadLetters(operator.as(name));
  }

  /** The first messages that match the filter, in arrival order. */
  public List<DeadMessage> list(MessageFilter filter, int limit) {
    return operator.store().listDead(filter, limit);
  }

  /**
   * Makes all messages that match the filter due again, in arrival order, with all their attempts.
   *
   * <p>It works in pages, one transaction each. Running it twice, or concurrently, replays nothing
   * twice.
   *
   * @return the number of messages
   */
  public int replay(MessageFilter filter) {
    return inPages(
        after -> operator.store().replayDead(filter, operator.name(), after, PAGE),
        (l, message) -> l.replayed(new InboxListener.Replayed(message)));
  }

  /**
   * Permanently discards all messages that match the filter, in arrival order. They stay stored, so
   * that a repeated delivery is still a duplicate; an ordering key blocked by one of them is
   * unblocked.
   *
   * <p>It works in pages, one transaction each. Running it twice, or concurrently, discards nothing
   * twice.
   *
   * @return the number of messages
   */
  public int discard(MessageFilter filter) {
    return inPages(
        after -> operator.store().discardDead(filter, operator.name(), after, PAGE),
        (l, message) -> l.discarded(new InboxListener.Discarded(message)));
  }

  /** The interventions on dead messages that match the filter, newest first. */
  public List<Intervention> history(MessageFilter filter, int limit) {
    return operator.store().interventions(Intervention.Origin.DEAD, filter, limit);
  }

  private int inPages(
      LongFunction<List<DeadMessage>> pageAfter,
      BiConsumer<InboxListener, InboxListener.Message> tell) {
    int done = 0;
    long after = 0;
    List<DeadMessage> page;
    do {
      page = pageAfter.apply(after);
      done += page.size();
      after = page.isEmpty() ? after : page.get(page.size() - 1).sequence();
      for (DeadMessage dead : page) {
        InboxListener.Message message =
            new InboxListener.Message(dead.endpoint(), dead.messageId(), dead.type());
        operator.listener().tell(l -> tell.accept(l, message));
      }
      page.stream().map(DeadMessage::endpoint).distinct().forEach(operator.wake());
    } while (page.size() == PAGE);
    return done;
  }
}
