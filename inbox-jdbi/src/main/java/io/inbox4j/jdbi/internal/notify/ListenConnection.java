package io.inbox4j.jdbi.internal.notify;

import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.sql.NotifySql;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The connections used to LISTEN. Not all of them receive notifications: none arrive through a
 * pooler that shares sessions, and a separately configured URL may lead to another database.
 */
public final class ListenConnection {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int WAIT_MILLIS = 200;

  private final Jdbi store;
  private final Jdbi listener;
  private final @Nullable PoolerAwareConnections sessions;

  private ListenConnection(Jdbi store, Jdbi listener, @Nullable PoolerAwareConnections sessions) {
    this.store = store;
    this.listener = listener;
    this.sessions = sessions;
  }

  /** Listens on the store's own connections. */
  public static ListenConnection onOwn(Jdbi store, PoolerAwareConnections sessions) {
    return new ListenConnection(store, store, sessions);
  }

  /** Listens on separate connections that were configured for it. */
  public static ListenConnection on(Jdbi listener, Jdbi store) {
    return new ListenConnection(store, listener, null);
  }

  Handle open() {
    return listener.open();
  }

  /** Whether listening is pointless, because the listening session would go to somebody else. */
  boolean sharesSessions() throws SQLException {
    return sessions != null && sessions.areShared();
  }

  /**
   * Whether this connection receives what the store's connections send. That is tested on a channel
   * that nobody else uses, unless there is no doubt.
   */
  boolean isHeardOn(Handle handle, BooleanSupplier closed) throws SQLException {
    if (sessions != null && !PoolerAwareConnections.isThroughPooler(handle.getConnection())) {
      return true;
    }
    String channel = "inbox_" + UUID.randomUUID().toString().substring(0, 8);
    try (Statement statement = handle.getConnection().createStatement()) {
      statement.execute("LISTEN " + channel);
      store.useHandle(
          it ->
              it.createQuery(NotifySql.NOTIFY_CHANNEL).bind("channel", channel).mapToMap().list());
      boolean heard = hears(handle, channel, closed);
      statement.execute("UNLISTEN " + channel);
      return heard;
    }
  }

  private static boolean hears(Handle handle, String channel, BooleanSupplier closed)
      throws SQLException {
    PGConnection connection = handle.getConnection().unwrap(PGConnection.class);
    Deadline deadline = Deadline.in(PATIENCE);
    while (!closed.getAsBoolean() && !deadline.hasPassed()) {
      PGNotification[] notifications = connection.getNotifications(WAIT_MILLIS);
      if (notifications != null) {
        for (PGNotification notification : notifications) {
          if (notification.getName().equals(channel)) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
