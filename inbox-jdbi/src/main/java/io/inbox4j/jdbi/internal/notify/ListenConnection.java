package io.inbox4j.jdbi.internal.notify;

import io.inbox4j.jdbi.internal.connect.HandlerSessionState;
import io.inbox4j.jdbi.internal.sql.Sql;
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
 * The connections on which notifications are listened for. Not all hear them: through a pooler that
 * shares sessions nothing comes, and a URL of its own may lead somewhere else.
 */
public final class ListenConnection {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int WAIT_MILLIS = 200;

  private final Jdbi store;
  private final Jdbi listener;
  private final @Nullable HandlerSessionState sessions;

  private ListenConnection(Jdbi store, Jdbi listener, @Nullable HandlerSessionState sessions) {
    this.store = store;
    this.listener = listener;
    this.sessions = sessions;
  }

  /** On the store's own connections. */
  public static ListenConnection onOwn(Jdbi store, HandlerSessionState sessions) {
    return new ListenConnection(store, store, sessions);
  }

  /** On others, which were given for that. */
  public static ListenConnection on(Jdbi listener, Jdbi store) {
    return new ListenConnection(store, listener, null);
  }

  Handle open() {
    return listener.open();
  }

  /** Whether it is of no use to try: a session that listens would be somebody else's. */
  boolean sharesSessions() throws SQLException {
    return sessions != null && sessions.areShared();
  }

  /**
   * Whether what the store's connections send is heard on this one. It is tried on a channel that
   * nobody else uses, unless there is no doubt.
   */
  boolean isHeardOn(Handle handle, BooleanSupplier closed) throws SQLException {
    if (sessions != null && !HandlerSessionState.isThroughPooler(handle.getConnection())) {
      return true;
    }
    String channel = "inbox_" + UUID.randomUUID().toString().substring(0, 8);
    try (Statement statement = handle.getConnection().createStatement()) {
      statement.execute("LISTEN " + channel);
      store.useHandle(
          it -> it.createQuery(Sql.NOTIFY_CHANNEL).bind("channel", channel).mapToMap().list());
      boolean heard = hears(handle, channel, closed);
      statement.execute("UNLISTEN " + channel);
      return heard;
    }
  }

  private static boolean hears(Handle handle, String channel, BooleanSupplier closed)
      throws SQLException {
    PGConnection connection = handle.getConnection().unwrap(PGConnection.class);
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!closed.getAsBoolean() && System.nanoTime() < until) {
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
