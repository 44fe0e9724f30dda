package io.inbox4j.micrometer;

import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.ObservedInbox;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads every few seconds what is pending at the endpoints of an inbox. */
final class BacklogReader {

  private static final Logger log = LoggerFactory.getLogger(BacklogReader.class);

  private final ObservedInbox inbox;
  private final Map<String, EndpointMeters> endpoints;
  private final BackgroundLoop loop =
      new BackgroundLoop("inbox-metrics", "Reading what is pending", this::readAll);

  private BacklogReader(ObservedInbox inbox, Map<String, EndpointMeters> endpoints) {
    this.inbox = inbox;
    this.endpoints = endpoints;
  }

  static BacklogReader start(ObservedInbox inbox, Map<String, EndpointMeters> endpoints) {
    BacklogReader reader = new BacklogReader(inbox, endpoints);
    reader.loop.start();
    return reader;
  }

  void stop() {
    loop.interrupt();
  }

  private void readAll(BackgroundLoop self) throws InterruptedException {
    for (String endpoint : inbox.types().keySet()) {
      Backlog backlog = read(endpoint);
      if (!self.isClosed()) {
        endpoints.get(endpoint).backlog(backlog);
      }
    }
    self.pause(InboxMetrics.REFRESH);
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
