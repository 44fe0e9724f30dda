package io.inbox4j.cli.internal.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KeptConnectionsTest {

  private final KeptConnections connections = new KeptConnections();

  @BeforeEach
  void configure() {
    connections.setUrl(PostgresServer.shared().newDatabase());
  }

  @AfterEach
  void close() {
    connections.close();
  }

  @Test
  void aConnectionThatWasGivenBackIsUsedAgain() throws Exception {
    Connection first = connections.getConnection();
    int process = process(first);
    first.close();
    try (Connection next = connections.getConnection()) {
      assertThat(process(next)).isEqualTo(process);
    }
  }

  @Test
  void twoThatAreInUseAreTwo() throws Exception {
    try (Connection one = connections.getConnection();
        Connection other = connections.getConnection()) {
      assertThat(process(one)).isNotEqualTo(process(other));
    }
  }

  @Test
  void oneThatIsClosedTwiceIsGivenBackOnce() throws Exception {
    Connection first = connections.getConnection();
    first.close();
    first.close();
    assertThat(first.isClosed()).isTrue();
    assertThatThrownBy(first::createStatement).isInstanceOf(SQLException.class);
    twoThatAreInUseAreTwo();
  }

  @Test
  void oneInTheMidstOfATransactionIsNotKept() throws Exception {
    Connection first = connections.getConnection();
    first.setAutoCommit(false);
    int process = process(first);
    first.close();
    try (Connection next = connections.getConnection()) {
      assertThat(process(next)).isNotEqualTo(process);
      assertThat(next.getAutoCommit()).isTrue();
    }
  }

  private static int process(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
