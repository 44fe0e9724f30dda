package io.inbox4j.jdbi.internal.notify;

import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.jdbi.internal.sql.NotifySql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.WorkStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on its own connection for messages stored by other processes. The payload of a
 * notification is the name of the sender and that of the endpoint; a store notifies its own watches
 * directly.
 */
public final class NotifyListener implements WorkStore.Watch {

  private static final Logger log = LoggerFactory.getLogger(NotifyListener.class);
  private static final int WAIT_MILLIS = 500;
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration DEAF = Duration.ofMinutes(5);
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** A sender name that every process listens to. */
  static final String TO_EVERYBODY = "*";

  private final ListenConnection listening;
  private final String self;
  private final Consumer<String> stored;
  private final Runnable missed;
  private boolean toldThatDeaf;
  private final BackgroundLoop loop =
      new BackgroundLoop("inbox-notifications", "Listening for notifications", this::listenOnce);

  private NotifyListener(
      ListenConnection listening, String self, Consumer<String> stored, Runnable missed) {
    this.listening = listening;
    this.self = self;
    this.stored = stored;
    this.missed = missed;
  }

  /**
   * @param self the sender whose notifications are ignored
   */
  static NotifyListener start(
      ListenConnection listening, String self, Consumer<String> stored, Runnable missed) {
    NotifyListener notifications = new NotifyListener(listening, self, stored, missed);
    notifications.loop.start();
    return notifications;
  }

  private void listenOnce(BackgroundLoop self) throws InterruptedException {
    try {
      if (!hears()) {
        tellThatDeaf();
        self.pause(DEAF);
      }
    } catch (SQLException | RuntimeException e) {
      if (!self.isClosed()) {
        log.warn(
            "Listening is interrupted; workers poll until it is back: {}",
            SqlErrors.translated(e).getMessage());
        self.pause(BACKOFF);
      }
    }
  }

  /** Listens until closed or until the connection is lost; false if listening is pointless. */
  private boolean hears() throws SQLException {
    if (listening.sharesSessions()) {
      return false;
    }
    try (Handle handle = listening.open()) {
      if (!listening.isHeardOn(handle, loop::isClosed)) {
        return loop.isClosed();
      }
      listen(handle);
      return true;
    }
  }

  private void tellThatDeaf() {
    if (!toldThatDeaf) {
      toldThatDeaf = true;
      log.warn(
          "Notifications are not heard on these connections, which a pooler shares (PgBouncer in"
              + " transaction mode) or which lead to another database: workers find what other"
              + " processes store by polling. Give notificationsFrom(…) a URL that leads to this"
              + " database directly");
    }
  }

  private void listen(Handle handle) throws SQLException {
    PGConnection connection = handle.getConnection().unwrap(PGConnection.class);
    handle.execute(NotifySql.LISTEN);
    missed.run();
    while (!loop.isClosed()) {
      PGNotification[] notifications = connection.getNotifications(WAIT_MILLIS);
      if (notifications != null) {
        for (PGNotification notification : notifications) {
          hear(notification.getParameter());
        }
      }
    }
    handle.execute(NotifySql.UNLISTEN);
  }

  private void hear(String notification) {
    int space = notification.indexOf(' ');
    if (!notification.substring(0, Math.max(0, space)).equals(self)) {
      stored.accept(notification.substring(space + 1));
    }
  }

  @Override
  public void close() {
    loop.close(GRACE);
  }
}
