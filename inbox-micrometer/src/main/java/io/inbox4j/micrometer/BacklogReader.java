package io.inbox4j.micrometer;

import io.inbox4j.Inbox;
import io.inbox4j.InboxException;
import io.inbox4j.operations.Backlog;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out every few seconds what is pending at the endpoints of an inbox. */
final class BacklogReader implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(BacklogReader.class);

  private final Inbox inbox;
  private final Map<String, EndpointMeters> endpoints;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private BacklogReader(Inbox inbox, Map<String, EndpointMeters> endpoints) {
    this.inbox = inbox;
    this.endpoints = endpoints;
  }

  static BacklogReader start(Inbox inbox, Map<String, EndpointMeters> endpoints) {
    BacklogReader reader = new BacklogReader(inbox, endpoints);
    Thread thread = new Thread(reader, "inbox-metrics");
    thread.setDaemon(true);
    thread.start();
    return reader;
  }

  void stop() {
    stopped.countDown();
  }

  @Override
  public void run() {
    try {
      do {
        for (String endpoint : inbox.types().keySet()) {
          Backlog backlog = read(endpoint);
          if (stopped.getCount() > 0) {
            endpoints.get(endpoint).backlog(backlog);
          }
        }
      } while (!stopped.await(InboxMetrics.REFRESH.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An endpoint whose backlog is not known shows none, rather than an old one. */
  private @Nullable Backlog read(String endpoint) {
    try {
      return inbox.backlog(endpoint);
    } catch (InboxException e) {
      log.debug("It is not known what is pending at {}", endpoint, e);
      return null;
    }
  }
}
