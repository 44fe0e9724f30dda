package io.inbox4j.reliability.chaos;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Something that goes wrong around the inbox.
 *
 * @param what its name in the table of faults
 * @param expected what the inbox is to do, so that nothing is lost, doubled, out of order or stuck
 * @param how how it is injected
 * @param strike makes it happen, and mends it
 * @param isPossible whether the machine has what it takes
 */
record Fault(String what, String expected, String how, Strike strike, Predicate<Scene> isPossible) {

  Fault(String what, String expected, String how, Strike strike) {
    this(what, expected, how, strike, scene -> true);
  }

  /** The same, where this holds only. */
  Fault onlyIf(Predicate<Scene> condition) {
    return new Fault(what, expected, how, strike, condition);
  }

  /** Strikes, and says what it has hit. */
  interface Strike {
    Hit at(Scene scene) throws Exception;
  }

  /** The proof that work was in flight: so many of these were hit. */
  record Hit(long count, String of) {
    @Override
    public String toString() {
      return "%d %s".formatted(count, of);
    }
  }

  /** Every kind of fault. */
  static List<Fault> all() {
    return Stream.of(
            ProcessFaults.all(),
            BrokerFaults.all(),
            DatabaseFaults.all(),
            HandlerFaults.all(),
            NeighbourFaults.all())
        .flatMap(List::stream)
        .toList();
  }
}
