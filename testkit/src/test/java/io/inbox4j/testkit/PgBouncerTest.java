package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class PgBouncerTest {

  @Test
  void aTransactionMayGetTheSessionOfAnotherOne() throws Exception {
    assumeTrue(PgBouncer.isPossible(), "this machine has no pgbouncer");
    PostgresServer postgres = PostgresServer.shared();
    try (PgBouncer bouncer = PgBouncer.start(postgres.port());
        Connection one = DriverManager.getConnection(bouncer.jdbcUrl(postgres.jdbcUrl()));
        Connection two = DriverManager.getConnection(bouncer.jdbcUrl(postgres.jdbcUrl()))) {
      assertThat(session(one)).isEqualTo(session(two));
      one.setAutoCommit(false);
      assertThat(session(one)).isNotEqualTo(session(two));
    }
  }

  private static int session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
