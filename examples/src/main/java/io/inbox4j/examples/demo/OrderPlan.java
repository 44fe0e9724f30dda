package io.inbox4j.examples.demo;

import io.inbox4j.event.MessageIds;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Which orders are published, and what must become of each.
 *
 * @param orders how many there are, numbered from 0
 */
record OrderPlan(int orders) {

  /** What is special about an order. */
  enum Kind {
    /** Is handled at the first attempt. */
    GOOD,
    /** Fails at the first attempt, and is handled at the second. */
    FLAKY,
    /** Fails at every attempt, and ends as dead. */
    POISON,
    /** Is no event at all, and ends in quarantine. */
    GARBAGE
  }

  /** Of every hundred orders one is garbage, one is poison, and two are flaky. */
  static Kind kindOf(int number) {
    return switch (number % 100) {
      case 7 -> Kind.GARBAGE;
      case 15 -> Kind.POISON;
      case 40, 92 -> Kind.FLAKY;
      default -> Kind.GOOD;
    };
  }

  /** One in five is published twice, as by a shop that is not sure whether it was heard. */
  static boolean isSentTwice(int number) {
    return number % 5 == 0;
  }

  /** The same for both copies of an order. */
  static UUID messageId(int number) {
    return MessageIds.of("demo-order", number);
  }

  static String body(int number) {
    return kindOf(number) == Kind.GARBAGE
        ? "please send me order %d".formatted(number)
        : "{\"number\": %d, \"cents\": %d}".formatted(number, 100 + number % 900);
  }

  /** How many messages are published, second copies included. */
  int copies() {
    return orders + (int) numbers().filter(OrderPlan::isSentTwice).count();
  }

  /** The orders that must have an effect, each once. */
  List<Integer> effective() {
    return numbers()
        .filter(n -> kindOf(n) == Kind.GOOD || kindOf(n) == Kind.FLAKY)
        .boxed()
        .toList();
  }

  /** The orders that must be dead. */
  List<Integer> dead() {
    return numbers().filter(n -> kindOf(n) == Kind.POISON).boxed().toList();
  }

  /** The bodies that must be in quarantine. */
  List<String> quarantined() {
    return numbers().filter(n -> kindOf(n) == Kind.GARBAGE).mapToObj(OrderPlan::body).toList();
  }

  private IntStream numbers() {
    return IntStream.range(0, orders);
  }
}
