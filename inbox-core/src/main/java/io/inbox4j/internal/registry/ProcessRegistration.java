package io.inbox4j.internal.registry;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.ProcessInfo.Role;
import io.inbox4j.store.ProcessRegistryStore;
import io.inbox4j.store.StoreUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the entry of this process among those that are running: registers it when it starts to
 * receive or process, sends a heartbeat every ten seconds on a daemon thread, and removes the entry
 * at the end. If the entry is lost, because the process was frozen, it registers again. A failure
 * holds up nothing else. Thread-safe.
 */
public final class ProcessRegistration {

  private static final Logger log = LoggerFactory.getLogger(ProcessRegistration.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final Duration MIN_GRACE = Duration.ofMillis(200);
  private static final Duration MAX_GRACE = Duration.ofSeconds(2);

  private final ProcessRegistryStore store;
  private final String name;
  private final Map<String, Set<String>> handled;
  private final Duration interval;
  private final UUID id = UUID.randomUUID();
  private final long began = System.nanoTime();
  private volatile Set<Role> roles = Set.of();
  private @Nullable BackgroundLoop heartbeats;

  /** The entry as it was registered; used by the one thread only. */
  private @Nullable ProcessInfo registered;

  private boolean failing;

  /**
   * @param name the name that operators know this process by
   * @param handled the event types that have a handler here, by endpoint
   */
  public ProcessRegistration(
      ProcessRegistryStore store, String name, Map<String, Set<String>> handled) {
    this(store, name, handled, INTERVAL);
  }

  ProcessRegistration(
      ProcessRegistryStore store,
      String name,
      Map<String, Set<String>> handled,
      Duration interval) {
    this.store = store;
    this.name = name;
    this.handled = Map.copyOf(handled);
    this.interval = interval;
  }

  /** Publishes what this process does from now on; in the background, and soon. */
  public synchronized void update(Set<Role> now) {
    roles = Set.copyOf(now);
    if (roles.isEmpty()) {
      close(MAX_GRACE);
    } else if (heartbeats == null) {
      heartbeats = new BackgroundLoop("inbox-registry", "The heartbeat", this::beat).start();
    } else {
      heartbeats.wake();
    }
  }

  private void beat(BackgroundLoop loop) throws InterruptedException {
    attempt(loop, () -> publish(roles));
    if (!loop.pause(ExponentialBackoff.jittered(interval))) {
      attempt(loop, this::leave);
    }
  }

  private void publish(Set<Role> now) {
    ProcessInfo info =
        new ProcessInfo(
            id, name, ThisProcess.HOST, ThisProcess.PID, ThisProcess.VERSION, now, types(now));
    if (!info.equals(registered) || !store.heartbeat(id)) {
      store.register(info, Duration.ofNanos(System.nanoTime() - began));
      registered = info;
    }
  }

  private Map<String, Set<String>> types(Set<Role> now) {
    Map<String, Set<String>> types = new TreeMap<>(handled);
    if (!now.contains(Role.PROCESSING)) {
      types.replaceAll((endpoint, all) -> Set.of());
    }
    return types;
  }

  private void leave() {
    if (registered != null) {
      store.deregister(id);
      registered = null;
    }
  }

  /** Runs a statement; whatever it throws, the next heartbeat tries again. */
  private void attempt(BackgroundLoop loop, Runnable statement) {
    try {
      statement.run();
      failing = false;
    } catch (Throwable e) {
      String why =
          e instanceof StoreUnavailableException ? e.getMessage() : LoggedFailure.summary(e);
      if (failing || loop.isClosed()) {
        log.debug("The heartbeat of {} fails: {}", name, why);
      } else {
        log.warn(
            "The heartbeat of {} fails, so it may not be listed as running; that holds up nothing"
                + " else, and is tried again: {}",
            name,
            why);
      }
      failing = true;
    }
  }

  /**
   * Ends it and removes the entry. A database that does not answer is waited for until the
   * deadline, at least 0.2 and at most 2 seconds; an entry that is left behind soon counts as dead.
   */
  public synchronized void close(Duration deadline) {
    if (heartbeats != null) {
      Duration grace = deadline.compareTo(MIN_GRACE) < 0 ? MIN_GRACE : deadline;
      heartbeats.close(grace.compareTo(MAX_GRACE) > 0 ? MAX_GRACE : grace);
      heartbeats = null;
    }
  }
}
