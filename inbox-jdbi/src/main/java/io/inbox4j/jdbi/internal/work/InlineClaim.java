package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.store.ClaimedMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Claims messages in the transaction that has stored them. */
final class InlineClaim {

  private final Connection connection;
  private final WorkSql sql;
  private final String endpoint;
  private final List<Long> sequences;

  InlineClaim(Connection connection, WorkSql sql, String endpoint, List<Long> sequences) {
    this.connection = connection;
    this.sql = sql;
    this.endpoint = endpoint;
    this.sequences = sequences;
  }

  /**
   * @param keyed whether any of them may have an ordering key
   */
  List<ClaimedMessage> claim(Set<String> types, boolean keyed) throws SQLException {
    if (sequences.isEmpty()) {
      return List.of();
    }
    List<Integer> lanes =
        keyed ? LaneClaim.lockLanesOf(connection, sql, endpoint, sequences) : List.of();
    try (PreparedStatement statement = sql.prepare(connection, Sql.CLAIM_RECEIVED)) {
      statement.setArray(1, connection.createArrayOf("text", types.toArray()));
      statement.setArray(2, connection.createArrayOf("int8", sequences.toArray()));
      statement.setArray(3, connection.createArrayOf("int2", lanes.toArray()));
      statement.setLong(4, Collections.min(sequences));
      statement.setString(5, endpoint);
      return JdbiWorkTransaction.read(statement);
    }
  }
}
