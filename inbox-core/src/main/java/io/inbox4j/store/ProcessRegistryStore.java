package io.inbox4j.store;

import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Keeps track of the processes that are running.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface ProcessRegistryStore {

  /** How long a process counts as running after its last heartbeat. */
  Duration EXPIRY = Duration.ofSeconds(45);

  /** The maximum number of processes, and of types, that are listed. */
  int MAX_LISTED = 1_000;

  /**
   * Registers a process, or replaces its entry.
   *
   * @param uptime for how long it has been running
   */
  void register(ProcessInfo process, Duration uptime);

  /**
   * Reports that a process is still running, and removes the entries of others that have expired.
   *
   * @return false if the process has no entry, because it was frozen for so long that another one
   *     removed it: it has to register again
   */
  boolean heartbeat(UUID process);

  /** Removes the entry of a process that ends. */
  void deregister(UUID process);

  /** The processes that are running, by name; {@value #MAX_LISTED} at most. */
  List<RunningProcess> processes();

  /**
   * The types at these endpoints that wait for a process that handles them: those of pending
   * messages, and those of deliveries that are quarantined because their type was unknown. Only the
   * first {@value #MAX_LISTED} messages of each endpoint are looked at, in the order in which they
   * are due, so that it is cheap however many are pending.
   */
  List<UnhandledType> unhandledTypes(Collection<String> endpoints);
}
