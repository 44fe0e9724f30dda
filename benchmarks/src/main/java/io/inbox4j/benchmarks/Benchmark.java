package io.inbox4j.benchmarks;

import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures how fast messages are received and handled, on servers of its own.
 *
 * <p>All contenders run in turn, several times, and the medians are compared: on a shared machine
 * only ratios within one run mean something.
 */
public final class Benchmark {

  private static final int DEFAULT_MESSAGES = 50_000;
  private static final int DEFAULT_REPETITIONS = 3;
  private static final int DEFAULT_OLD = 1_000_000;
  private static final String RETENTION = "retention";

  private Benchmark() {}

  public static void main(String[] args) throws Exception {
    int messages = DEFAULT_MESSAGES;
    int repetitions = DEFAULT_REPETITIONS;
    int old = DEFAULT_OLD;
    String only = "";
    try {
      for (int i = 0; i < args.length; i += 2) {
        switch (args[i]) {
          case "--messages" -> messages = positive(args, i);
          case "--repetitions" -> repetitions = positive(args, i);
          case "--old" -> old = positive(args, i);
          case "--only" -> only = text(args, i);
          default -> throw new IllegalArgumentException("unknown option '" + args[i] + "'");
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println(
          e.getMessage()
              + "; usage: bin/bench [--messages N] [--repetitions N] [--only TEXT]"
              + " [--only retention --old N]");
      System.exit(2);
    }
    run(messages, repetitions, only, old);
    System.exit(0);
  }

  private static int positive(String[] args, int option) {
    String value = option + 1 < args.length ? args[option + 1] : "";
    if (!value.matches("[1-9][0-9]{0,7}")) {
      throw new IllegalArgumentException(
          "%s is '%s'; expected a number from 1".formatted(args[option], value));
    }
    return Integer.parseInt(value);
  }

  private static String text(String[] args, int option) {
    if (option + 1 >= args.length) {
      throw new IllegalArgumentException(args[option] + " has no value");
    }
    return args[option + 1];
  }

  private static void run(int messages, int repetitions, String only, int old) throws Exception {
    System.out.printf(
        "%,d messages of 1 KB, %d repetitions; starting servers%n", messages, repetitions);
    try (PostgresServer postgres = PostgresServer.start();
        RabbitServer rabbit = RabbitServer.start()) {
      Orders orders = new Orders();
      Queue queue = new Queue(rabbit.uri(), orders);
      List<Contender> contenders =
          only.equals(RETENTION)
              ? List.of(
                  new RetentionDrain(orders, postgres::newDatabase, old, false),
                  new RetentionDrain(orders, postgres::newDatabase, old, true))
              : usual(orders, queue, rabbit.uri(), postgres::newDatabase).stream()
                  .filter(contender -> contender.name().contains(only))
                  .toList();
      for (Contender contender : contenders) {
        System.out.printf("warming up: %s%n", contender.name());
        contender.run(contender.messages(Math.min(messages, 10_000)));
      }
      print(measure(contenders, messages, repetitions));
    }
  }

  private static List<Contender> usual(
      Orders orders, Queue queue, String amqp, Supplier<String> newDatabase) {
    return List.of(
        new RawConsume(queue),
        new Ingest(queue, amqp, newDatabase),
        Drain.noOp(orders, newDatabase),
        Drain.insert(orders, newDatabase),
        Drain.hotKey(orders, newDatabase, false),
        Drain.hotKeyOneByOne(orders, newDatabase, false),
        Drain.hotKey(orders, newDatabase, true),
        Drain.hotKeyOneByOne(orders, newDatabase, true),
        Drain.leased(orders, newDatabase, 200, 10, Duration.ofMillis(100)));
  }

  private static Map<String, List<Double>> measure(
      List<Contender> contenders, int messages, int repetitions) throws Exception {
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    for (int repetition = 1; repetition <= repetitions; repetition++) {
      for (Contender contender : contenders) {
        double rate = contender.run(contender.messages(messages));
        rates.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(rate);
        System.out.printf(
            "%d/%d  %-40s %,10.0f msg/s%n", repetition, repetitions, contender.name(), rate);
      }
    }
    return rates;
  }

  private static void print(Map<String, List<Double>> rates) {
    System.out.printf("%n%-40s %10s %10s %10s%n", "", "median/s", "min/s", "max/s");
    rates.forEach(
        (name, values) -> {
          List<Double> sorted = values.stream().sorted().toList();
          System.out.printf(
              "%-40s %,10.0f %,10.0f %,10.0f%n",
              name, sorted.get(sorted.size() / 2), sorted.get(0), sorted.get(sorted.size() - 1));
        });
  }
}
