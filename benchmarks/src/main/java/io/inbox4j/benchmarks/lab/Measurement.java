package io.inbox4j.benchmarks.lab;

/**
 * What a run has taken.
 *
 * @param rate messages a second
 * @param walBytes of the write-ahead log, a message
 * @param transactions that wrote, savepoints that wrote included, a message
 * @param databaseMicros of CPU time of PostgreSQL, a message; NaN if its processes are not here
 * @param clientMicros of CPU time of this process or its child, a message; NaN if not measured
 * @param allocated bytes of this process, a message; NaN if not measured
 */
public record Measurement(
    double rate,
    double walBytes,
    double transactions,
    double databaseMicros,
    double clientMicros,
    double allocated) {

  Measurement ofTheDatabaseOnly() {
    return new Measurement(rate, walBytes, transactions, databaseMicros, Double.NaN, Double.NaN);
  }
}
