package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * A pool that notices when its server is lost.
 *
 * <p>The driver by itself waits for ever for a server that went away without a word, and takes a
 * read-only standby for as good as the primary. It also puts the row that the server refuses into
 * the text of its exceptions, and into that of a connection which is lost after it: the pool logs
 * the latter, and a row has payload in it.
 */
final class ConnectionPool {

  static final int DEFAULT_SIZE = 20;

  private ConnectionPool() {}

  static HikariDataSource of(String jdbcUrl) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("inbox");
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(DEFAULT_SIZE);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(10_000);
    config.setInitializationFailTimeout(-1);
    config.addDataSourceProperty("ApplicationName", "inbox");
    config.addDataSourceProperty("connectTimeout", "10");
    config.addDataSourceProperty("socketTimeout", "300");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("targetServerType", "primary");
    config.addDataSourceProperty("logServerErrorDetail", "false");
    config.setExceptionOverride(new LeaveReadOnlyServers());
    return new HikariDataSource(config);
  }

  /** Without it the pool would keep its connections to a server that was made a standby. */
  private static final class LeaveReadOnlyServers implements SQLExceptionOverride {

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException e) {
      return Faults.isReadOnly(e)
          ? SQLExceptionOverride.Override.MUST_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }
}
