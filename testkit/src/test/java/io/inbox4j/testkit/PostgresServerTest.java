package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PostgresServerTest {

  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void close() {
    long pid = server.pid();
    server.close();
    assertThat(new OsProcess(pid).isRunning()).isFalse();
  }

  @Test
  void commitsAreDurable() throws SQLException {
    assertDurable();
  }

  @Test
  void committedRowsSurviveAKill() throws SQLException {
    String url = server.newDatabase();
    execute(url, "CREATE TABLE kept (id int)");
    try (Connection open = server.dataSource(url).getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      statement.execute("INSERT INTO kept VALUES (-1)");
      for (int i = 0; i < 100; i++) {
        execute(url, "INSERT INTO kept VALUES (" + i + ")");
      }
      long killed = server.pid();

      server.kill9();

      assertThat(new OsProcess(killed).isRunning()).isFalse();
      assertThatThrownBy(() -> query(url, "SELECT 1")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
      assertThatThrownBy(server::pid).hasMessageContaining("killed");
      server.restart();
      assertThat(server.pid()).isNotEqualTo(killed);
    }
    assertThat(query(url, "SELECT count(*) || ' ' || min(id) FROM kept")).isEqualTo("100 0");
    assertDurable();
  }

  @Test
  void aRunningServerCanBeRestarted() throws SQLException {
    String url = server.newDatabase();
    execute(url, "CREATE TABLE kept AS SELECT 7 AS id");
    long before = server.pid();
    server.restart();
    assertThat(server.pid()).isNotEqualTo(before);
    assertThat(query(url, "SELECT id FROM kept")).isEqualTo("7");
  }

  @Test
  void aPromotedStandbyHasEveryCommit() throws SQLException {
    try (PostgresServer primary = PostgresServer.start()) {
      String url = primary.newDatabase();
      execute(url, "CREATE TABLE kept AS SELECT 1 AS id");
      try (PostgresServer standby = primary.startStandby()) {
        String there = url.replace(":" + primary.port(), ":" + standby.port());
        assertThatThrownBy(() -> execute(there, "INSERT INTO kept VALUES (0)"))
            .hasMessageContaining("read-only");
        for (int i = 2; i <= 100; i++) {
          execute(url, "INSERT INTO kept VALUES (" + i + ")");
        }
        primary.kill9();
        standby.promote();
        assertThat(query(there, "SELECT count(*) FROM kept")).isEqualTo("100");
        execute(there, "INSERT INTO kept VALUES (101)");
      }
    }
  }

  @RepeatedTest(3)
  void aStandbyThatIsPromotedAtOnceHasWhatWasCommittedWhileItStarted() throws Exception {
    try (PostgresServer primary = PostgresServer.start()) {
      String url = primary.newDatabase();
      execute(url, "CREATE TABLE kept (id int, padding text)");
      Set<Integer> committed = ConcurrentHashMap.newKeySet();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int first = i;
        writers.add(new Thread(() -> commitUntilTheEnd(url, first, 4, committed)));
      }
      writers.forEach(Thread::start);
      Thread slow = new Thread(() -> slowDownTheCheckpointer(url));
      slow.start();
      try (PostgresServer standby = primary.startStandby()) {
        primary.kill9();
        slow.join();
        for (Thread writer : writers) {
          writer.join();
        }
        standby.promote();
        String there = url.replace(":" + primary.port(), ":" + standby.port());
        assertThat(committed).hasSizeGreaterThan(100);
        assertThat(ids(there)).containsAll(committed);
      }
    }
  }

  /** It is the one that tells all others that commits have to wait for a standby. */
  private static void slowDownTheCheckpointer(String url) {
    try {
      OsProcess checkpointer =
          new OsProcess(
              Long.parseLong(
                  query(
                      url,
                      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")));
      while (query(url, "SELECT count(*) FROM pg_stat_replication").equals("0")) {
        Thread.sleep(5);
      }
      checkpointer.freeze();
      Thread.sleep(1_000);
      checkpointer.signal("CONT");
    } catch (Exception e) {
      // the server is gone
    }
  }

  private static void commitUntilTheEnd(String url, int first, int step, Set<Integer> committed) {
    try (Connection connection = server.dataSource(url).getConnection();
        Statement statement = connection.createStatement()) {
      for (int i = first; ; i += step) {
        statement.execute("INSERT INTO kept VALUES (%d, repeat('x', 5000))".formatted(i));
        committed.add(i);
      }
    } catch (SQLException e) {
      // the server is gone
    }
  }

  private static Set<Integer> ids(String url) throws SQLException {
    Set<Integer> ids = new HashSet<>();
    try (Connection connection = server.dataSource(url).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM kept")) {
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
    }
    return ids;
  }

  @Test
  void aNewDatabaseIsEmptyAndOnItsOwn() throws SQLException {
    String one = server.newDatabase();
    String other = server.newDatabase();
    execute(one, "CREATE TABLE mine (id int)");
    assertThat(query(one, "SELECT to_regclass('mine')::text")).isEqualTo("mine");
    assertThat(query(other, "SELECT to_regclass('mine')::text")).isNull();
  }

  @Test
  void aServerThatWasKilledCanBeClosed() {
    PostgresServer doomed = PostgresServer.start();
    doomed.kill9();
    doomed.close();
    assertThatThrownBy(() -> query(doomed.jdbcUrl(), "SELECT 1")).isInstanceOf(SQLException.class);
    assertThatThrownBy(doomed::restart).hasMessageContaining("closed");
  }

  private static void assertDurable() throws SQLException {
    String url = server.jdbcUrl();
    assertThat(query(url, "SHOW fsync")).isEqualTo("on");
    assertThat(query(url, "SHOW full_page_writes")).isEqualTo("on");
    assertThat(query(url, "SHOW synchronous_commit")).isEqualTo("on");
    assertThat(query(url, "SHOW max_connections")).isEqualTo("200");
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = server.dataSource(url).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(String url, String sql) throws SQLException {
    try (Connection connection = server.dataSource(url).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }
}
