package io.inbox4j.store;

import io.inbox4j.operations.Backlog;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.receive.Arrival;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The port to a database. Thread-safe.
 *
 * <p>Every method throws {@link StoreUnavailableException} for faults that pass. Time is the
 * database's.
 */
public interface InboxStore extends AutoCloseable {

  /**
   * Makes the tables ready: creates or upgrades them, or only checks them, as the store was told.
   *
   * @throws io.inbox4j.InboxException if they are missing or of another version; the message says
   *     what creates them
   */
  void open();

  /**
   * Stores a batch in this order: events once and all or none of them, the rest in the quarantine.
   *
   * @return what became of each, in the same order
   */
  List<Receipt> receive(String endpoint, List<Arrival> batch);

  /** Begins a transaction for a worker of the endpoint. */
  WorkTransaction begin(String endpoint);

  /**
   * Notes, durably, that a suspect that is due is about to be handled alone, and holds it back from
   * others for the given time.
   *
   * @return whether it could be noted; false if the message is gone or in another hand
   */
  boolean noteAlone(long sequence, Duration holdBack);

  /** Takes notes back: the infrastructure failed, not the messages. They are due again. */
  void takeBack(List<Long> sequences);

  /**
   * Renews leases, to last for the given time from now.
   *
   * @return those that still hold; of the others somebody else has taken the message
   */
  Set<Lease> renew(Collection<Lease> leases, Duration time);

  /** Ends leases of messages that were not handled: they are due again. */
  void giveBack(Collection<Lease> leases);

  /** Stops the handling of an endpoint's messages in all processes. Does nothing if it rests. */
  void pause(String endpoint, String by, String reason);

  /** Lets an endpoint's messages be handled again. */
  void resume(String endpoint);

  /** Why an endpoint's messages are not handled, or null if they are. */
  @Nullable Pause pauseOf(String endpoint);

  /**
   * What there is to know about the store and about what waits at these endpoints, at little cost
   * however much that is. It takes one connection and gives up after about this time.
   */
  Vitals vitals(Collection<String> endpoints, Duration timeout);

  /**
   * What is still to be handled at an endpoint. It is asked for every few seconds, so it costs
   * little however much is kept and however much is pending.
   */
  Backlog backlog(String endpoint);

  /** Whose fault it is that a handler, or a method of this store, failed like this. */
  Fault faultOf(Throwable failure);

  /**
   * What is known of an exception of the database's driver by name, for the log: its SQLSTATE, the
   * table, the constraint. What the database says may quote rows and arguments, so this must not.
   * Its causes are asked for one by one. Defaults to nothing.
   */
  default String namesIn(Throwable failure) {
    return "";
  }

  /**
   * Calls back with the name of an endpoint after messages were stored for it, by this store or by
   * another process, until the returned handle is closed. It may call too often, and of other
   * processes it may never hear.
   *
   * @param missed called when calls may have been missed
   */
  Watch watch(Consumer<String> stored, Runnable missed);

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
      Function<QuarantinedMessage, Arrival> check);

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
      Function<QuarantinedMessage, Arrival> check);

  /**
   * Deletes up to {@code limit} quarantined deliveries from after the given sequence, and records
   * for each who did it, in one transaction.
   *
   * @return their sequences, in order; fewer than the limit if no more fit
   */
  List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit);

  /** What was done with messages of this origin, the newest first. */
  List<Intervention> interventions(Intervention.Origin origin, MessageFilter filter, int limit);

  /**
   * Says how long this running process wants the messages of these endpoints to be kept. It is to
   * be said again every few minutes: what nobody has said for about a day counts no longer.
   */
  void declareRetention(Collection<String> endpoints, Retention retention);

  /** How long messages are kept, by endpoint: the longest that a running process wants. */
  Map<String, Retention> declaredRetention();

  /**
   * Removes processed and discarded messages that were kept long enough, in small steps with a rest
   * after each, without getting into the way of others. How long that is, running processes have
   * said; the messages of an endpoint of which nobody has said anything are left alone. Only one at
   * a time does so, in all processes. An interrupt ends it after the step in hand; what is done
   * stays done.
   *
   * @param goOn told after every step what was done so far; ends it by false
   */
  RetentionReport retain(Predicate<RetentionReport> goOn);

  /**
   * The same, as if a running process wanted this for these endpoints.
   *
   * @param force whether their messages go even if a running process wants to keep them for longer;
   *     a repeated delivery of those is a new message
   */
  RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn);

  /**
   * What one page of a replay did.
   *
   * @param seen how many deliveries were looked at; none if there are no more
   * @param last the sequence to go on after
   * @param replayed those that left the quarantine, as events
   */
  record ReplayPage(int seen, long last, List<Arrival.Event> replayed) {}

  /**
   * What was done with one page of pending messages.
   *
   * @param seen how many are meant; fewer than the limit if there are no more
   * @param last the sequence to go on after
   * @param changed those that were changed, in arrival order; the rest are in hand
   */
  record PendingPage(int seen, long last, List<PendingMessage> changed) {}

  @Override
  void close();

  /** Ends a {@link #watch}. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
