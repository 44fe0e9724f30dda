package io.inbox4j.store;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.Collection;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Removes messages whose retention has expired.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface RetentionStore {

  /**
   * Declares how long this running process wants the messages of these endpoints to be kept. The
   * declaration has to be repeated every few minutes: one that is not renewed for about a day
   * expires.
   */
  void declareRetention(Collection<String> endpoints, Retention retention);

  /** The effective retention by endpoint: the longest that any running process declares. */
  Map<String, Retention> declaredRetention();

  /**
   * Removes processed and discarded messages whose retention has expired, in small steps with a
   * pause after each, without getting in the way of other work. The retention is the one declared
   * by running processes; the messages of an endpoint without a declaration are left alone. Only
   * one run is active at a time, across all processes. An interrupt stops it after the current
   * step; completed steps stay committed.
   *
   * @param goOn called after every step with the progress so far; returning false stops the run
   */
  RetentionReport retain(Predicate<RetentionReport> goOn);

  /**
   * The same, as if a running process had declared this retention for these endpoints.
   *
   * @param force whether their messages are removed even if a running process wants to keep them
   *     for longer; a repeated delivery of a removed message is a new message
   */
  RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn);
}
