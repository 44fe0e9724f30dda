package io.inbox4j;

import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.store.OperatorStore;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The messages that are still to be handled, and what operators can do with them. Thread-safe.
 *
 * <p>Messages in flight are left alone, but counted. Each expedite and discard is recorded with the
 * name of who did it: the operating system user, or the name given to {@link #as}.
 */
public final class PendingMessages {

  private static final int PAGE = 500;

  private final OperatorStore store;
  private final SafeListener listener;
  private final Consumer<String> wake;
  private final Actor actor;

  /**
   * The result of an action on pending messages.
   *
   * @param changed how many were expedited or discarded
   * @param inFlight how many were left alone because they are in flight
   */
  public record Result(int changed, int inFlight) {}

  /**
   * @param wake called with an endpoint that has work
   */
  PendingMessages(OperatorStore store, SafeListener listener, Consumer<String> wake) {
    this(store, listener, wake, Actor.ofSystem());
  }

  private PendingMessages(
      OperatorStore store, SafeListener listener, Consumer<String> wake, Actor actor) {
    this.store = store;
    this.listener = listener;
    this.wake = wake;
    this.actor = actor;
  }

  /**
   * The pending messages in a store, for programs that operate on messages without subscribing to
   * their endpoints.
   */
  public static PendingMessages in(OperatorStore store) {
    return new PendingMessages(store, new SafeListener(List.of()), endpoint -> {});
  }

  /**
   * Returns a copy that records interventions under this name.
   *
   * @throws IllegalArgumentException if it is blank or longer than 255 characters
   */
  public PendingMessages as(String name) {
    return new PendingMessages(store, listener, wake, new Actor(name));
  }

  /** The first messages that match the filter, in arrival order. */
  public List<PendingMessage> list(MessageFilter filter, int limit) {
    return store.listPending(filter, limit);
  }

  /**
   * Makes all messages that match the filter and are not due yet due now: those delayed by their
   * producer or postponed by their handler, and those that wait for a retry. They keep their
   * attempts and their place in their ordering key.
   *
   * <p>It works in pages, one transaction each.
   */
  public Result expedite(MessageFilter filter) {
    return inPages(after -> store.expeditePending(filter, actor.name(), after, PAGE), page -> {});
  }

  /**
   * Permanently discards all messages that match the filter, in arrival order. They stay stored, so
   * that a repeated delivery is still a duplicate; an ordering key blocked by one of them is
   * unblocked.
   *
   * <p>It works in pages, one transaction each.
   */
  public Result discard(MessageFilter filter) {
    return inPages(
        after -> store.discardPending(filter, actor.name(), after, PAGE), this::tellDiscarded);
  }

  /** The interventions on pending messages that match the filter, newest first. */
  public List<Intervention> history(MessageFilter filter, int limit) {
    return store.interventions(Intervention.Origin.PENDING, filter, limit);
  }

  private void tellDiscarded(PendingMessage pending) {
    InboxListener.Message message =
        new InboxListener.Message(pending.endpoint(), pending.messageId(), pending.type());
    listener.tell(l -> l.discarded(new InboxListener.Discarded(message)));
  }

  private Result inPages(
      LongFunction<OperatorStore.PendingPage> pageAfter, Consumer<PendingMessage> tell) {
    int changed = 0;
    int inFlight = 0;
    long after = 0;
    OperatorStore.PendingPage page;
    do {
      page = pageAfter.apply(after);
      after = page.last();
      changed += page.changed().size();
      inFlight += page.seen() - page.changed().size();
      page.changed().forEach(tell);
      page.changed().stream().map(PendingMessage::endpoint).distinct().forEach(wake);
    } while (page.seen() == PAGE);
    return new Result(changed, inFlight);
  }
}
