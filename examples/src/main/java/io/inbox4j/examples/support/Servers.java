package io.inbox4j.examples.support;

/** Where an example finds its broker and its database. */
public interface Servers extends AutoCloseable {

  String AMQP = "INBOX_AMQP";
  String JDBC = "INBOX_JDBC";

  /** The broker, for example {@code amqp://guest:guest@localhost:5672}. */
  String amqpUri();

  /** The database, for example {@code jdbc:postgresql://localhost/shop?user=me}. */
  String jdbcUrl();

  /** Stops the servers if they were started for the example. */
  @Override
  void close() throws Exception;

  /** The servers that the environment names, or embedded ones if it names none. */
  static Servers find() throws Exception {
    boolean anyGiven = System.getenv(AMQP) != null || System.getenv(JDBC) != null;
    if (anyGiven) {
      return given();
    }
    System.out.println("Starting an embedded PostgreSQL and an embedded AMQP broker ...");
    return EmbeddedServers.start();
  }

  /** The servers that {@code INBOX_AMQP} and {@code INBOX_JDBC} in the environment name. */
  static Servers given() {
    return at(variable(AMQP), variable(JDBC));
  }

  private static String variable(String name) {
    String value = System.getenv(name);
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(
          "%s is not set; expected %s and %s to name the broker and the database"
              .formatted(name, AMQP, JDBC));
    }
    return value;
  }

  /** Servers that are there already, and stay. */
  static Servers at(String amqpUri, String jdbcUrl) {
    return new Given(amqpUri, jdbcUrl);
  }

  /** Servers that somebody else runs. */
  record Given(String amqpUri, String jdbcUrl) implements Servers {

    @Override
    public void close() {}
  }
}
