package io.inbox4j.reliability.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The ways to commit a transaction that is somebody else's, when its connection says no. */
enum BackDoor {
  STATEMENT,
  META_DATA,
  UNWRAP,
  SQL;

  /** One of them, all in turn. */
  static BackDoor number(int number) {
    List<BackDoor> all = List.of(values());
    return all.get(number % all.size());
  }

  void commit(Handle handle) throws SQLException {
    Connection connection = handle.getConnection();
    switch (this) {
      case STATEMENT -> {
        try (Statement statement = connection.createStatement()) {
          statement.getConnection().commit();
        }
      }
      case META_DATA -> connection.getMetaData().getConnection().commit();
      case UNWRAP -> connection.unwrap(Connection.class).commit();
      case SQL -> handle.execute("COMMIT");
    }
  }
}
