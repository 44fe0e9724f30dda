package io.inbox4j.benchmarks;

/** Something that is measured. */
interface Contender {

  /** What the table calls it. */
  String name();

  /** How many messages it takes to measure it, when the others are measured with this many. */
  default int messages(int others) {
    return others;
  }

  /** Does its work on this many messages, prepared before the clock starts; returns messages/s. */
  double run(int messages) throws Exception;

  /** The rate of work that began at this {@link System#nanoTime} and ends now. */
  static double rate(int messages, long begin) {
    return messages * 1e9 / (System.nanoTime() - begin);
  }
}
