package io.inbox4j.micrometer;

import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.ObservedInbox;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads every few seconds what is pending at the endpoints of an inbox. */
final class BacklogReader {

  private static final Logger log = LoggerFactory.getLogger(BacklogReader.class);

  private final ObservedInbox inbox;
  private final Map<String, EndpointMeters> endpoints;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private BacklogReader(ObservedInbox inbox, Map<String, EndpointMeters> endpoints) {
    this.inbox = inbox;
    this.endpoints = endpoints;
  }

  static BacklogReader start(ObservedInbox inbox, Map<String, EndpointMeters> endpoints) {
    BacklogReader reader = new BacklogReader(inbox, endpoints);
    ResilientLoop reading =
        new ResilientLoop(
            "Reading what is pending", () -> reader.stopped.getCount() == 0, reader::readAll);
    Thread thread = new Thread(reading, "inbox-metrics");
    thread.setDaemon(true);
    thread.start();
    return reader;
  }

  void stop() {
    stopped.countDown();
  }

  private void readAll() throws InterruptedException {
    for (String endpoint : inbox.types().keySet()) {
      Backlog backlog = read(endpoint);
      if (stopped.getCount() > 0) {
        endpoints.get(endpoint).backlog(backlog);
      }
    }
    stopped.await(InboxMetrics.REFRESH.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** An endpoint whose backlog is unknown reports none, rather than an outdated one. */
  private @Nullable Backlog read(String endpoint) {
    try {
      return inbox.backlog(endpoint);
    } catch (Throwable e) { // of one endpoint: the others are still read
      log.debug("It is not known what is pending at {}", endpoint, e);
      return null;
    }
  }
}
