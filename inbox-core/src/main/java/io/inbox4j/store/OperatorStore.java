package io.inbox4j.store;

import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators do: list, replay, expedite and discard messages, pause and resume endpoints.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface OperatorStore {

  /** Stops the handling of an endpoint's messages in all processes. Does nothing if it rests. */
  void pause(String endpoint, String by, String reason);

  /** Lets an endpoint's messages be handled again. */
  void resume(String endpoint);

  /** Why an endpoint's messages are not handled, or null if they are. */
  @Nullable Pause pauseOf(String endpoint);

  /** Dead messages, in arrival order. */
  List<DeadMessage> listDead(MessageFilter filter, int limit);

  /**
   * Makes up to {@code limit} dead messages from after the given sequence due again, with no
   * attempt used up, and records for each who did it, in one transaction.
   *
   * @return those that will be handled again, in arrival order; fewer than the limit if no more fit
   */
  List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit);

  /**
   * Takes up to {@code limit} dead messages from after the given sequence off the list for good,
   * with the ordering keys that they hold, and records for each who did it, in one transaction.
   * Their identities stay stored.
   *
   * @return those that were taken off, in arrival order; fewer than the limit if no more fit
   */
  List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit);

  /** Messages that are still to be handled, in arrival order. */
  List<PendingMessage> listPending(MessageFilter filter, int limit);

  /**
   * Makes up to {@code limit} messages from after the given sequence that are due later due now,
   * and records for each who did it, in one transaction. Those that a worker has in hand stay as
   * they are.
   */
  PendingPage expeditePending(MessageFilter filter, String by, long after, int limit);

  /**
   * Takes up to {@code limit} messages from after the given sequence away for good, so that they
   * are not handled, and records for each who did it, in one transaction. Those that a worker has
   * in hand stay as they are. Their identities stay stored.
   */
  PendingPage discardPending(MessageFilter filter, String by, long after, int limit);

  /**
   * What was done with one page of pending messages.
   *
   * @param seen how many are meant; fewer than the limit if there are no more
   * @param last the sequence to go on after
   * @param changed those that were changed, in arrival order; the rest are in hand
   */
  record PendingPage(int seen, long last, List<PendingMessage> changed) {}

  /** Quarantined deliveries, in arrival order, from after the given sequence, without bodies. */
  List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit);

  /**
   * Quarantined deliveries, in arrival order, from after the given sequence. Their bodies have 64
   * MiB in total at most, or there is one.
   */
  List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit);

  /**
   * Checks up to {@code limit} quarantined deliveries anew, fewer if they are large; those that now
   * are events are stored as such, in the place in which they arrived, and leave the quarantine,
   * and who did it is recorded for each, in one transaction. The rest stay, and so does what the
   * database refuses.
   */
  ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check);

  /**
   * Checks anew, as {@link #replayQuarantined} does, what is in quarantine because its type was not
   * known, if it is of one of these types. What is no event nevertheless is in quarantine for what
   * is found now. To look when there is nothing costs little, however much else is in quarantine.
   */
  ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check);

  /**
   * Deletes up to {@code limit} quarantined deliveries from after the given sequence, and records
   * for each who did it, in one transaction.
   *
   * @return their sequences, in order; fewer than the limit if no more fit
   */
  List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit);

  /**
   * What one page of a replay did.
   *
   * @param seen how many deliveries were looked at; none if there are no more
   * @param last the sequence to go on after
   * @param replayed those that left the quarantine, as events
   */
  record ReplayPage(int seen, long last, List<ValidatedDelivery.Event> replayed) {}

  /** What was done with messages of this origin, the newest first. */
  List<Intervention> interventions(Intervention.Origin origin, MessageFilter filter, int limit);
}
