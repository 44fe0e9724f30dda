package io.inbox4j.examples.support;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL and an AMQP broker that live as long as this object, so that a program runs on a
 * machine that has neither.
 */
public final class EmbeddedServers implements Servers {

  private final EmbeddedPostgres postgres;
  private final EmbeddedBroker broker;

  private EmbeddedServers(EmbeddedPostgres postgres, EmbeddedBroker broker) {
    this.postgres = postgres;
    this.broker = broker;
  }

  /** Starts both, empty, on free ports. */
  public static EmbeddedServers start() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.builder().setLocaleConfig("locale", "C").start();
    try {
      return new EmbeddedServers(postgres, EmbeddedBroker.start());
    } catch (Exception e) {
      postgres.close();
      throw e;
    }
  }

  @Override
  public String amqpUri() {
    return broker.uri();
  }

  @Override
  public String jdbcUrl() {
    return postgres.getJdbcUrl("postgres", "postgres");
  }

  @Override
  public void close() throws Exception {
    broker.close();
    postgres.close();
  }
}
