package io.inbox4j.store;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.Collection;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Removes messages that were kept long enough.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface RetentionStore {

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
}
