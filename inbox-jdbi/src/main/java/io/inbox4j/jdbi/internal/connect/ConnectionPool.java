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
 * A connection pool that detects the loss of its server.
 *
 * <p>By default the driver waits indefinitely for a server that vanished silently, and treats a
 * read-only standby like the primary. It also includes the rejected row in the text of its
 * exceptions, and of the exception for a connection that is lost afterwards: the pool logs the
 * latter, and a row contains payload.
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

  /** Unpooled connections with the same properties. Properties given in the URL take precedence. */
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
    // The pool would ask its first connection for it, and never work if that one is lost meanwhile.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    DRIVER.forEach(config::addDataSourceProperty);
    config.setExceptionOverride(new Evictions());
    return new HikariDataSource(config);
  }

  /**
   * Decides which errors evict a connection. Without it the pool would keep connections to a server
   * that was demoted to a standby, and would close those of handlers that ask for something that
   * PostgreSQL does not support.
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
