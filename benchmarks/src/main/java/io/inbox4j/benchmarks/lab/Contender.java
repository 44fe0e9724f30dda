package io.inbox4j.benchmarks.lab;

/** Something that is measured. */
public interface Contender {

  /** What the tables call it. */
  String name();

  /** What it promises: whether a handler's effect commits with the completion, above all. */
  String contract();

  /** How many messages it takes to measure it, when the others are measured with this many. */
  default int messages(int others) {
    return others;
  }

  /** The fewest messages that say something about it, unless the whole run is a short one. */
  default int minMessages() {
    return 0;
  }

  /** Whether it comes to its speed before it is measured, within {@link #run}. */
  default boolean warmsUp() {
    return false;
  }

  /** Whether it can run on this machine. */
  default boolean isPossible() {
    return true;
  }

  /** Prepares its work, then does it within {@link Trial#measure}. */
  void run(Trial trial) throws Exception;
}
