package io.inbox4j.examples.demo;

import io.inbox4j.examples.support.EmbeddedServers;
import io.inbox4j.examples.support.Servers;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the demo.
 *
 * @param orders how many orders there are
 * @param amqpUri the user's own broker, or null for an embedded one
 * @param jdbcUrl the user's own database, or null for an embedded one
 * @param help whether only the usage is wanted
 */
record DemoOptions(int orders, @Nullable String amqpUri, @Nullable String jdbcUrl, boolean help) {

  static final int DEFAULT_ORDERS = 10_000;
  static final int MIN_ORDERS = 200;
  static final int MAX_ORDERS = 1_000_000;

  static final String USAGE =
      """
      Usage: bin/demo [--orders N] [--amqp URI --jdbc URL]

      Publishes orders, some of them twice, some of them bad, kills a worker in the middle,
      and counts in the end whether every good order had its effect exactly once.

        --orders N    how many orders, 200 to 1000000; defaults to 10000
        --amqp URI    your own RabbitMQ, for example amqp://guest:guest@localhost:5672
        --jdbc URL    your own PostgreSQL, for example jdbc:postgresql://localhost/test?user=me
                      both or neither; the demo begins by deleting what it left there before,
                      which is the queue inbox-demo.orders and the schema inbox_demo
        --help        this text
      """;

  DemoOptions {
    if (orders < MIN_ORDERS || orders > MAX_ORDERS) {
      throw new IllegalArgumentException(
          "--orders is %d; expected %d to %d".formatted(orders, MIN_ORDERS, MAX_ORDERS));
    }
    if ((amqpUri == null) != (jdbcUrl == null)) {
      throw new IllegalArgumentException(
          "%s is given alone; expected both --amqp and --jdbc, or neither"
              .formatted(amqpUri == null ? "--jdbc" : "--amqp"));
    }
    if (amqpUri != null && !amqpUri.matches("amqps?://.+")) {
      throw new IllegalArgumentException(
          "--amqp is '%s'; expected for example amqp://guest:guest@localhost:5672"
              .formatted(withoutPassword(amqpUri)));
    }
    if (jdbcUrl != null && !jdbcUrl.startsWith("jdbc:postgresql:")) {
      throw new IllegalArgumentException(
          "--jdbc is '%s'; expected for example jdbc:postgresql://localhost/test?user=me"
              .formatted(withoutPassword(jdbcUrl)));
    }
  }

  /**
   * Reads the arguments.
   *
   * @throws IllegalArgumentException if one is wrong; the message says which and what is right
   */
  static DemoOptions parse(String... args) {
    int orders = DEFAULT_ORDERS;
    String amqp = null;
    String jdbc = null;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--help", "-h" -> {
          return new DemoOptions(DEFAULT_ORDERS, null, null, true);
        }
        case "--orders" -> orders = number(valueOf(args, i++));
        case "--amqp" -> amqp = valueOf(args, i++);
        case "--jdbc" -> jdbc = valueOf(args, i++);
        default ->
            throw new IllegalArgumentException(
                "'%s' is no option; expected --orders, --amqp, --jdbc or --help"
                    .formatted(args[i]));
      }
    }
    return new DemoOptions(orders, amqp, jdbc, false);
  }

  /** Starts embedded servers, unless the user has given some. */
  Servers servers() throws Exception {
    return amqpUri == null || jdbcUrl == null
        ? EmbeddedServers.start()
        : Servers.at(amqpUri, jdbcUrl);
  }

  private static String valueOf(String[] args, int option) {
    if (option + 1 == args.length) {
      throw new IllegalArgumentException(args[option] + " has no value");
    }
    return args[option + 1];
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "--orders is '%s'; expected a number from %d to %d"
              .formatted(text, MIN_ORDERS, MAX_ORDERS),
          e);
    }
  }

  private static String withoutPassword(String address) {
    return address.replaceAll("//[^/@]*@", "//***@").replaceAll("password=[^&]*", "password=***");
  }
}
