package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Lab;
import io.inbox4j.benchmarks.lab.TrialResult;
import io.inbox4j.benchmarks.report.Results;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Locale;

/**
 * A run of the benchmark.
 *
 * @param messages in one measurement, for those that are fast
 * @param repetitions of each measurement
 * @param scale what long workloads are shortened to: 1 is the whole
 */
public record Session(Lab lab, Results results, int messages, int repetitions, double scale) {

  private static final int WARM_UP = 50_000;
  private static final Duration WARM_UP_TIME = Duration.ofSeconds(15);

  Results.Section begin(Workload workload) {
    System.out.printf("%n%s: %s%n", workload.key(), workload.title());
    return results.begin(
        workload.key(),
        workload.title(),
        "%s, %,d messages of 1 KB unless it says otherwise, %d repetitions, JDK %s, %d cores"
            .formatted(
                LocalDate.now(java.time.ZoneOffset.UTC),
                messages,
                repetitions,
                Runtime.version().feature(),
                Runtime.getRuntime().availableProcessors()));
  }

  /** Lets a contender come to its speed for a while, unless all of it is shortened. */
  void warmUp(Contender contender, boolean inserts) throws Exception {
    if (scale < 1 || contender.warmsUp()) {
      return;
    }
    System.out.printf("warming up: %s%n", contender.name());
    long until = System.nanoTime() + WARM_UP_TIME.toNanos();
    do {
      lab.run(contender, Math.min(WARM_UP, contender.messages(messages)), inserts);
    } while (System.nanoTime() < until);
  }

  /** Measures a contender once, on a database of its own. */
  void measure(Results.Section section, Contender contender, boolean inserts, int repetition)
      throws Exception {
    add(
        section,
        contender.name(),
        contender.contract(),
        repetition,
        lab.run(contender, messagesOf(contender), inserts));
  }

  private int messagesOf(Contender contender) {
    int count = contender.messages(messages);
    return scale < 1 ? count : Math.max(count, contender.minMessages());
  }

  Results.Row add(
      Results.Section section, String name, String contract, int repetition, TrialResult result) {
    Results.Row row = section.row(name, contract);
    row.runs().add(result.measurement());
    System.out.printf(
        Locale.ROOT,
        "%d/%d  %-50s %,10.0f msg/s%n",
        repetition,
        repetitions,
        name,
        result.measurement().rate());
    result.figures().forEach(row::figure);
    result
        .figures()
        .forEach((what, value) -> System.out.printf(Locale.ROOT, "     %s %,.1f%n", what, value));
    return row;
  }

  int scaled(int whole) {
    return (int) (whole * scale);
  }
}
