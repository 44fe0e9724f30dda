package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/**
 * A pool that notices when its server is lost.
 *
 * <p>The driver by itself waits for ever for a server that went away without a word, and takes a
 * read-only standby for as good as the primary.
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
    return new HikariDataSource(config);
  }
}
