package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.NotifySql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.StoredOutgoing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Publishes in transactions of all kinds, and tells whoever sends. */
public final class JdbiOutbox {

  private final Jdbi jdbi;
  private final InboxSchema schema;
  private final OutboxInserts inserts;
  private final NotifySender notifySender;

  public JdbiOutbox(Jdbi jdbi, InboxSchema schema, NotifySender notifySender) {
    this.jdbi = jdbi;
    this.schema = schema;
    this.inserts = new OutboxInserts(schema);
    this.notifySender = notifySender;
  }

  /** Publishes in a transaction of its own, or in that of the caller which it has joined. */
  public void publish(List<StoredOutgoing> messages) {
    jdbi.useHandle(
        handle -> {
          handle.useTransaction(
              it -> {
                try {
                  publish(it.getConnection(), "", messages);
                } catch (SQLException e) {
                  throw SqlErrors.translated(e);
                }
              });
          committed(handle.getConnection());
        });
  }

  /**
   * Publishes in a transaction of the caller.
   *
   * @param transaction a handle or a connection
   */
  public void publish(Object transaction, List<StoredOutgoing> messages) {
    Connection connection = connectionOf(transaction);
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "the connection commits every statement, so that a failure of the caller would not undo"
                + " what it publishes; begin a transaction first, with setAutoCommit(false) or"
                + " handle.inTransaction(…)");
      }
      if (!messages.isEmpty()) {
        inserts.publish(connection, "", messages);
        tellWithTheCommit(connection);
      }
    } catch (SQLException e) {
      throw SqlErrors.translated(e);
    }
  }

  private static Connection connectionOf(Object transaction) {
    if (transaction instanceof Handle handle) {
      return handle.getConnection();
    }
    if (transaction instanceof Connection connection) {
      return connection;
    }
    throw new IllegalArgumentException(
        "%s is not what the JDBI store can publish in; expected %s or %s"
            .formatted(
                transaction.getClass().getName(),
                Handle.class.getName(),
                Connection.class.getName()));
  }

  /**
   * Publishes in a transaction of the store.
   *
   * @param first the SQL to execute first, terminated by a semicolon, or empty
   */
  public void publish(Connection connection, String first, List<StoredOutgoing> messages)
      throws SQLException {
    inserts.publish(connection, first, messages);
    if (JoinedTransaction.isOn(connection)) {
      tellWithTheCommit(connection);
    }
  }

  /** Must be called after the commit of a transaction of the store. */
  public void committed(Connection connection) {
    notifySender.published(connection);
  }

  private void tellWithTheCommit(Connection connection) throws SQLException {
    String notification = notifySender.publishedInTransaction();
    if (notification != null) {
      try (PreparedStatement statement = schema.prepare(connection, NotifySql.NOTIFY_UNLESS_FULL)) {
        statement.setString(1, notification);
        statement.execute();
      }
    }
  }
}
