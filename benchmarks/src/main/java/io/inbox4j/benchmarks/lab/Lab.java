package io.inbox4j.benchmarks.lab;

import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import org.jdbi.v3.core.Jdbi;

/** The servers that are measured on, started for it and nothing else. */
public final class Lab implements AutoCloseable {

  private final PostgresServer postgres = PostgresServer.start();
  private final RabbitServer rabbit = RabbitServer.start();
  private final Orders orders = new Orders();
  private final Queue queue;

  public Lab() throws Exception {
    this.queue = new Queue(rabbit.uri(), orders);
  }

  public Orders orders() {
    return orders;
  }

  public Queue queue() {
    return queue;
  }

  public String amqpUri() {
    return rabbit.uri();
  }

  /** A database that has a table for effects and nothing else. */
  public String newDatabase() {
    String url = postgres.newDatabase();
    Jdbi.create(url).useHandle(it -> it.execute("CREATE TABLE effects (name text, amount int)"));
    return url;
  }

  /** Drops a database that is not needed any more. */
  public void drop(String database) {
    String name = database.replaceAll(".*/(\\w+)\\?.*", "$1");
    Jdbi.create(postgres.jdbcUrl())
        .useHandle(it -> it.execute("DROP DATABASE \"" + name + "\" WITH (FORCE)"));
  }

  /** Runs a contender on a database of its own. */
  public TrialResult run(Contender contender, int messages, boolean inserts) throws Exception {
    String database = newDatabase();
    TrialResult result = run(contender, database, messages, inserts);
    drop(database);
    return result;
  }

  /** Runs a contender on a database that may have been used before. */
  public TrialResult run(Contender contender, String database, int messages, boolean inserts)
      throws Exception {
    Jdbi.create(database).useHandle(it -> it.execute("TRUNCATE effects"));
    Trial trial = new Trial(this, database, messages, inserts);
    contender.run(trial);
    return trial.result();
  }

  @Override
  public void close() {
    rabbit.close();
    postgres.close();
  }
}
