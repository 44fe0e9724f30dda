package io.inbox4j.reliability.chaos;

import java.util.ArrayList;
import java.util.List;

/** Something that goes wrong around the inbox, and how it is made to. */
interface Fault {

  /** Its name in the table of faults. */
  String what();

  /** What the inbox is to do, so that nothing is lost, doubled, out of order or stuck. */
  String expected();

  /** How it is injected. */
  String how();

  /**
   * Makes it happen, and mends it.
   *
   * @return what it has hit
   */
  Hit strike(Scene scene) throws Exception;

  /** Whether this machine has what it takes. */
  default boolean isPossible(Scene scene) {
    return true;
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
    List<Fault> all = new ArrayList<>();
    all.addAll(List.of(ProcessFault.values()));
    all.addAll(List.of(BrokerFault.values()));
    all.addAll(List.of(DatabaseFault.values()));
    all.addAll(List.of(HandlerFault.values()));
    return all;
  }
}
