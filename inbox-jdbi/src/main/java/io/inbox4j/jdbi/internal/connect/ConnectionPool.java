package io.inbox4j.jdbi.internal.connect;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool that notices when its server is lost.
 *
 * <p>The driver by itself waits for ever for a server that went away without a word, and takes a
 * read-only standby for as good as the primary. It also puts the row that the server refuses into
 * the text of its exceptions, and into that of a connection which is lost after it: the pool logs
 * the latter, and a row has payload in it.
 */
public final class ConnectionPool {

  static final int DEFAULT_SIZE = 20;

  private static final Map<String, String> DRIVER =
      Map.of(
          "ApplicationName", "inbox",
          "connectTimeout", "10",
          "socketTimeout", "300",
          "tcpKeepAlive", "true",
          "targetServerType", "primary",
          "logServerErrorDetail", "false");

  private ConnectionPool() {}

  /** No pool, but connections with the same properties. What the URL says wins. */
  public static DataSource single(String jdbcUrl) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    try {
      for (Map.Entry<String, String> property : DRIVER.entrySet()) {
        source.setProperty(property.getKey(), property.getValue());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    source.setUrl(jdbcUrl);
    return source;
  }

  public static HikariDataSource of(String jdbcUrl) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("inbox");
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(DEFAULT_SIZE);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(10_000);
    config.setInitializationFailTimeout(-1);
    DRIVER.forEach(config::addDataSourceProperty);
    config.setExceptionOverride(new Evictions());
    return new HikariDataSource(config);
  }

  /**
   * Without it the pool would keep its connections to a server that was made a standby, and close
   * those of handlers that ask for something that PostgreSQL does not have.
   */
  private static final class Evictions implements SQLExceptionOverride {

    private static final String NOT_SUPPORTED = "0A000";

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException e) {
      if (SqlErrors.isReadOnly(e)) {
        return SQLExceptionOverride.Override.MUST_EVICT;
      }
      return NOT_SUPPORTED.equals(e.getSQLState())
          ? SQLExceptionOverride.Override.DO_NOT_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }
}
