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

/** An inbox that runs, from the start of the process to its end. */
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

  /**
   * @param probe throws {@link StoreUnavailableException} if the database does not answer
   */
  public WorkerService(Inbox inbox, WorkerOptions.Role role, String description, Runnable probe) {
    this.inbox = inbox;
    this.role = role;
    this.description = description;
    this.probe = probe;
    this.start = part(Status.DOWN, "waits for the database");
  }

  /** Starts the inbox, and returns when the process was told to end and its work has. */
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

  /** A database that is away is waited for: this process can do nothing better, nor can another. */
  private boolean isStarted() {
    try {
      probe.run();
      if (role.processes() && !processing) {
        inbox.startProcessing();
        processing = true;
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
        return false; // it was closed while it started
      }
      throw e;
    }
  }

  private static Part part(Status status, String detail) {
    return new Part("start", null, status, detail, Instant.now(Clock.systemUTC()));
  }

  /** How it is, with the start and the end of the process as a part. */
  Health health() {
    List<Part> parts = new ArrayList<>();
    parts.add(start);
    parts.addAll(inbox.health().parts());
    return Health.of(parts);
  }

  /** Whether it does its work; what is only degraded does. */
  boolean isReady() {
    return health().status() != Status.DOWN;
  }

  /** Whether another process would do better: threads are dead, and not only a server away. */
  boolean isAlive() {
    return health().parts().stream()
        .noneMatch(it -> it.name().equals("workers") && it.status() == Status.DOWN);
  }

  /** Ends the work within the deadline. */
  @Override
  public void close() {
    log.info("Told to end; work in hand comes to its end.");
    start = part(Status.DOWN, "the process is about to end");
    told.countDown();
    try {
      inbox.close();
    } finally {
      ended.countDown();
    }
  }
}
