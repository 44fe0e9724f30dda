package io.inbox4j.benchmarks.lab;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** One run of a contender: how much is to be done, where, and what it has taken. */
public final class Trial {

  private final Lab lab;
  private final String database;
  private final int messages;
  private final boolean inserts;
  private final Jdbi jdbi;
  private final Map<String, Double> figures = new TreeMap<>();
  private @Nullable Measurement measurement;

  /** What is measured. */
  public interface Act {
    void run() throws Exception;
  }

  Trial(Lab lab, String database, int messages, boolean inserts) {
    this.lab = lab;
    this.database = database;
    this.messages = messages;
    this.inserts = inserts;
    this.jdbi = Jdbi.create(database);
  }

  public Lab lab() {
    return lab;
  }

  /** A database that has a table for effects and nothing else. */
  public String database() {
    return database;
  }

  public Jdbi jdbi() {
    return jdbi;
  }

  public int messages() {
    return messages;
  }

  /** Whether the handler inserts a row of business; it does nothing otherwise. */
  public boolean inserts() {
    return inserts;
  }

  /** Connections as those use them who bring no pool. */
  public HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database);
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }

  /** The work of the handler. */
  public void handle(Connection connection, OrderPlaced order) throws SQLException {
    if (inserts) {
      try (PreparedStatement insert = connection.prepareStatement(OrderPlaced.INSERT)) {
        insert.setString(1, order.order());
        insert.setInt(2, order.amount());
        insert.executeUpdate();
      }
    }
  }

  /**
   * Measures what this does, until it returns. All begin with tables that somebody has looked at
   * and that are on the disk: whoever reads a row first marks it, which is written to the log after
   * a checkpoint, page by page, and would be counted as the reader's.
   */
  public void measure(Act act) throws Exception {
    jdbi.useHandle(
        handle -> {
          handle.execute("VACUUM ANALYZE");
          handle.execute("CHECKPOINT");
        });
    Meters begin = Meters.read(jdbi);
    act.run();
    measurement = Meters.read(jdbi).since(begin, messages);
  }

  /** The same of what other processes do: what this one spends on it says nothing. */
  public void measureElsewhere(Act act) throws Exception {
    measure(act);
    measurement = measurement == null ? null : measurement.ofTheDatabaseOnly();
  }

  /** Notes another figure. */
  public void figure(String what, double value) {
    figures.put(what, value);
  }

  /** What was measured; every message has had its effect by then. */
  TrialResult result() {
    Measurement result = measurement;
    if (result == null) {
      throw new IllegalStateException("nothing was measured");
    }
    if (inserts) {
      long effects =
          jdbi.withHandle(
              handle -> handle.select("SELECT count(*) FROM effects").mapTo(Long.class).one());
      if (effects < messages) {
        throw new IllegalStateException(
            "%,d messages had %,d effects".formatted(messages, effects));
      }
    }
    return new TrialResult(result, new TreeMap<>(figures));
  }
}
