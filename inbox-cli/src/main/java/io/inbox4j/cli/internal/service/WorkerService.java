package io.inbox4j.cli.internal.service;

import io.inbox4j.Inbox;
import io.inbox4j.cli.internal.options.WorkerOptions;
import io.inbox4j.error.InboxException;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import io.inbox4j.store.StoreUnavailableException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running inbox, from the start of the process to its end. */
public final class WorkerService implements AutoCloseable {

  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(WorkerService.class);

  private final Inbox inbox;
  private final WorkerOptions.Role role;
  private final String description;
  private final Runnable probe;
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Part start;
  private boolean processing;
  private boolean publishing;

  /**
   * @param probe throws {@link StoreUnavailableException} if the database does not respond
   */
  public WorkerService(Inbox inbox, WorkerOptions.Role role, String description, Runnable probe) {
    this.inbox = inbox;
    this.role = role;
    this.description = description;
    this.probe = probe;
    this.start = part(Status.DOWN, "waits for the database");
  }

  /** Starts the inbox, and returns when the process was told to stop and its work is done. */
  public void run(InetSocketAddress address) throws InterruptedException {
    log.info(
        "Running {}, queues {}, health and metrics on {} port {}",
        description,
        inbox.types().keySet().stream().sorted().toList(),
        address.getAddress().getHostAddress(),
        address.getPort());
    while (told.getCount() > 0 && !isStarted()) {
      told.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
    }
    ended.await();
  }

  /** Waits for an unavailable database: neither this process nor another can do anything better. */
  private boolean isStarted() {
    try {
      probe.run();
      if (role.processes() && !processing) {
        inbox.startProcessing();
        processing = true;
      }
      if (role.publishes() && !publishing) {
        inbox.startPublishing();
        publishing = true;
      }
      if (role.receives()) {
        inbox.startReceiving();
      }
      start = part(Status.UP, "is done");
      log.info("The inbox has started.");
      return true;
    } catch (StoreUnavailableException e) {
      start = part(Status.DOWN, e.getMessage());
      log.warn("Not started, trying again in {} s: {}", RETRY.toSeconds(), e.getMessage());
      return false;
    } catch (InboxException e) {
      if (told.getCount() == 0) {
        return false; // closed while starting
      }
      throw e;
    }
  }

  private static Part part(Status status, String detail) {
    return new Part("start", null, status, detail, Instant.now(Clock.systemUTC()));
  }

  /** The health of the inbox, with the start and the end of the process as a component. */
  Health health() {
    List<Part> parts = new ArrayList<>();
    parts.add(start);
    parts.addAll(inbox.health().parts());
    return Health.of(parts);
  }

  /** Whether it does its work, which it also does while degraded. */
  boolean isReady() {
    return health().status() != Status.DOWN;
  }

  /**
   * Whether the process is alive: false only if worker threads are dead, so that a restart helps; a
   * server that is down does not count.
   */
  boolean isAlive() {
    return health().parts().stream()
        .noneMatch(it -> it.name().equals("workers") && it.status() == Status.DOWN);
  }

  /** Finishes the work within the deadline. */
  @Override
  public void close() {
    log.info("Told to end; finishing what is in flight.");
    start = part(Status.DOWN, "the process is about to end");
    told.countDown();
    try {
      inbox.close();
    } finally {
      ended.countDown();
    }
  }
}
