package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.history.Effect;
import io.inbox4j.reliability.history.History;
import io.inbox4j.reliability.history.Kept;
import io.inbox4j.reliability.history.Publish;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/** What the database says, by connections of its own. */
record Tables(Jdbi jdbi) {

  /** Which sessions are those of the inbox. */
  static final String OF_THE_INBOX = "application_name LIKE 'walker%'";

  private static final String UNTROUBLED =
      "-c%20statement_timeout=0%20-c%20transaction_timeout=0"
          + "%20-c%20default_transaction_read_only=off";

  private static final String CANNOT_CONNECT_NOW = "57P03";
  private static final Duration TO_RECOVER = Duration.ofMinutes(1);
  private static final Duration GLANCE = Duration.ofMillis(50);

  static Tables at(String jdbcUrl) {
    return at(() -> jdbcUrl);
  }

  /**
   * By connections that are opened where the database is at that moment. The settings that make
   * trouble for the inbox do not hold for them.
   */
  static Tables at(Supplier<String> jdbcUrl) {
    return new Tables(
        Jdbi.create(() -> connect(jdbcUrl, System.nanoTime() + TO_RECOVER.toNanos())));
  }

  /** Waits for a server that has crashed without being told to, and recovers. */
  private static Connection connect(Supplier<String> jdbcUrl, long until) throws SQLException {
    while (true) {
      try {
        return DriverManager.getConnection(
            jdbcUrl.get() + "&connectTimeout=5&socketTimeout=120&options=" + UNTROUBLED);
      } catch (SQLException e) {
        if (!CANNOT_CONNECT_NOW.equals(e.getSQLState()) || System.nanoTime() - until > 0) {
          throw e;
        }
        LockSupport.parkNanos(GLANCE.toNanos());
      }
    }
  }

  void create() {
    jdbi.useHandle(
        handle -> {
          handle.execute(
              "CREATE TABLE effects (place bigint GENERATED ALWAYS AS IDENTITY, endpoint text,"
                  + " id uuid, walk text, step bigint, digest text,"
                  + " at timestamptz DEFAULT clock_timestamp())");
          handle.execute("CREATE TABLE contended (id int, touched int)");
          handle.execute("INSERT INTO contended VALUES (1, 0), (2, 0)");
        });
  }

  long count(String query) {
    return jdbi.withHandle(handle -> handle.select(query).mapTo(Long.class).one());
  }

  long pending() {
    return count("SELECT count(*) FROM inbox_pending");
  }

  long stored() {
    return count("SELECT count(*) FROM inbox_messages");
  }

  /** Sessions of a process. */
  long sessions(String name) {
    return count(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s'".formatted(name));
  }

  /** Transactions of a process that are open. */
  long openTransactions(String name) {
    return count(
        "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL"
            + " AND application_name = '%s'".formatted(name));
  }

  /** Transactions of the inbox that are open, and leases that are held. */
  long inFlight() {
    return count(
        "SELECT (SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND "
            + OF_THE_INBOX
            + ") + (SELECT count(lease) FROM inbox_pending)");
  }

  /** Messages that are leased. */
  long leased() {
    return count("SELECT count(lease) FROM inbox_pending");
  }

  void execute(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }

  History history(List<Publish> published, List<Kept> deadLettered) {
    return new History(
        published,
        effects(),
        kept("SELECT endpoint, id, error FROM inbox WHERE status = 'dead'"),
        kept("SELECT endpoint, message_id, reason || ': ' || detail FROM inbox_quarantine"),
        kept("SELECT endpoint, id, status FROM inbox WHERE status IN ('pending', 'retrying')"),
        deadLettered);
  }

  /** Messages that the inbox has as processed, and that have no effect. */
  List<String> withoutEffect() {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "SELECT endpoint || ' ' || id FROM inbox WHERE status = 'processed' AND NOT"
                        + " EXISTS (SELECT 1 FROM effects e WHERE e.id = inbox.id AND e.endpoint ="
                        + " inbox.endpoint)")
                .mapTo(String.class)
                .list());
  }

  private List<Effect> effects() {
    return jdbi.withHandle(
        handle ->
            handle
                .select("SELECT place, endpoint, id, walk, step, digest, at FROM effects")
                .map(
                    (row, context) ->
                        new Effect(
                            row.getLong(1),
                            row.getString(2),
                            row.getObject(3, UUID.class),
                            row.getString(4),
                            row.getLong(5),
                            row.getString(6),
                            row.getTimestamp(7).toInstant()))
                .list());
  }

  private List<Kept> kept(String query) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(query)
                .map(
                    (row, context) ->
                        new Kept(row.getString(1), row.getString(2), row.getString(3)))
                .list());
  }
}
