package io.inbox4j.internal.publish;

import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.transport.OutgoingMessage;
import java.time.Duration;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports what the relay has done to the log and to listeners. */
public final class RelayReports {

  private static final Logger log = LoggerFactory.getLogger(RelayReports.class);

  private final SafeListener listener;
  private final LogRateLimit reports = new LogRateLimit(Duration.ofSeconds(10));

  public RelayReports(SafeListener listener) {
    this.listener = listener;
  }

  /** Messages were confirmed and removed. */
  void published(int sent) {
    if (sent > 0) {
      listener.tell(l -> l.published(new InboxListener.Published(sent)));
    }
  }

  /** A message cannot be sent, and is kept as dead. */
  void undeliverable(OutgoingMessage message, String reason) {
    report(message, reason, true);
  }

  /** A message had no queue, and is dropped. */
  void dropped(OutgoingMessage message, String reason) {
    report(message, reason, false);
  }

  private void report(OutgoingMessage message, String reason, boolean kept) {
    OptionalLong before = reports.next();
    if (before.isPresent()) {
      log.warn(
          "{} could not be sent and is {}, as {} others since this was last said: {}",
          message,
          kept ? "kept as dead" : "dropped",
          before.getAsLong(),
          reason);
    }
    listener.tell(
        l ->
            l.undeliverable(
                new InboxListener.Undeliverable(
                    message.messageId(),
                    message.type(),
                    message.destination().name(),
                    reason,
                    kept)));
  }
}
