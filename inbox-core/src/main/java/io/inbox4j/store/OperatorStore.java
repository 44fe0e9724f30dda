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
 * Operator actions: listing, replaying, expediting and discarding messages, and pausing and
 * resuming endpoints.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface OperatorStore {

  /**
   * Pauses the handling of an endpoint's messages in all processes. Does nothing if it is paused.
   */
  void pause(String endpoint, String by, String reason);

  /** Resumes the handling of an endpoint's messages. */
  void resume(String endpoint);

  /** The pause of an endpoint, or null if it is not paused. */
  @Nullable Pause pauseOf(String endpoint);

  /** Dead messages, in arrival order. */
  List<DeadMessage> listDead(MessageFilter filter, int limit);

  /**
   * Makes up to {@code limit} dead messages after the given sequence due again, with no attempt
   * used up, and records for each who did it, in one transaction.
   *
   * @return the replayed messages, in arrival order; fewer than the limit if no more match
   */
  List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit);

  /**
   * Permanently discards up to {@code limit} dead messages after the given sequence, unblocks the
   * ordering keys that they block, and records for each who did it, in one transaction. Their
   * identities stay stored.
   *
   * @return the discarded messages, in arrival order; fewer than the limit if no more match
   */
  List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit);

  /** Messages that are still to be handled, in arrival order. */
  List<PendingMessage> listPending(MessageFilter filter, int limit);

  /**
   * Makes up to {@code limit} messages after the given sequence that are not due yet due now, and
   * records for each who did it, in one transaction. Messages in flight stay unchanged.
   */
  PendingPage expeditePending(MessageFilter filter, String by, long after, int limit);

  /**
   * Permanently discards up to {@code limit} pending messages after the given sequence, so that
   * they are not handled, and records for each who did it, in one transaction. Messages in flight
   * stay unchanged. The identities stay stored.
   */
  PendingPage discardPending(MessageFilter filter, String by, long after, int limit);

  /**
   * The result of an action on one page of pending messages.
   *
   * @param seen how many match; fewer than the limit if there are no more
   * @param last the sequence after which to continue
   * @param changed the changed messages, in arrival order; the rest are in flight
   */
  record PendingPage(int seen, long last, List<PendingMessage> changed) {}

  /** Quarantined deliveries after the given sequence, in arrival order, without bodies. */
  List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit);

  /**
   * Quarantined deliveries after the given sequence, in arrival order. Their bodies total at most
   * 64 MiB, unless a single body is larger.
   */
  List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit);

  /**
   * Revalidates up to {@code limit} quarantined deliveries, fewer if they are large. Those that are
   * now valid events leave the quarantine and are stored as events, in their original place in
   * arrival order, and it is recorded for each who did it, in one transaction. The rest stay in
   * quarantine, and so do deliveries that the database rejects.
   */
  ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check);

  /**
   * Revalidates, as {@link #replayQuarantined} does, deliveries that are in quarantine because
   * their type was unknown, if it is one of these types. Those that still are not valid events stay
   * in quarantine, with the reason found now. The query is cheap when there is nothing to adopt,
   * however much else is in quarantine.
   */
  ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check);

  /**
   * Deletes up to {@code limit} quarantined deliveries after the given sequence, and records for
   * each who did it, in one transaction.
   *
   * @return their sequences, in order; fewer than the limit if no more match
   */
  List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit);

  /**
   * The result of replaying one page.
   *
   * @param seen how many deliveries were examined; zero if there are no more
   * @param last the sequence after which to continue
   * @param replayed the deliveries that left the quarantine, as events
   */
  record ReplayPage(int seen, long last, List<ValidatedDelivery.Event> replayed) {}

  /** The interventions on messages of this origin, newest first. */
  List<Intervention> interventions(Intervention.Origin origin, MessageFilter filter, int limit);
}
