package io.inbox4j.benchmarks;

import io.inbox4j.benchmarks.lab.Lab;
import io.inbox4j.benchmarks.report.Report;
import io.inbox4j.benchmarks.report.Results;
import io.inbox4j.benchmarks.workloads.Session;
import io.inbox4j.benchmarks.workloads.Workload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Measures the inbox beside its limits and its peers, on servers of its own, and writes what it has
 * measured into a document.
 *
 * <p>All contenders of a workload run in turn, several times, and the medians are compared: on a
 * shared machine only ratios within one run mean something.
 */
public final class Benchmark {

  private static final int WRONG_ARGUMENTS = 2;
  private static final Path DOCUMENT = Path.of("docs", "performance.md");
  private static final Path IMAGES = Path.of("docs", "images");
  private static final Path RESULTS = Path.of("docs", "performance.json");

  private Benchmark() {}

  public static void main(String[] args) throws Exception {
    Options options = new Options();
    try {
      options.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + "; usage: " + Options.USAGE);
      System.exit(WRONG_ARGUMENTS);
    }
    run(options);
    System.exit(0);
  }

  private static void run(Options options) throws Exception {
    List<Workload> workloads =
        Workload.all().stream().filter(it -> options.wants(it.key())).toList();
    Results results = options.quick ? new Results(new TreeMap<>()) : Results.load(RESULTS);
    System.out.println("starting servers");
    try (Lab lab = new Lab()) {
      Session session =
          new Session(lab, results, options.messages, options.repetitions, options.scale());
      for (Workload workload : workloads) {
        workload.run(session);
        if (!options.quick) {
          results.save(RESULTS);
          Report.write(results, DOCUMENT, IMAGES);
        }
      }
    }
    System.out.println(Report.text(results, workloads.stream().map(Workload::key).toList()));
  }

  /** What the command line says. */
  private static final class Options {

    static final String USAGE =
        "bin/bench [--quick] [--messages N] [--repetitions N] [--only A,B,ingest,…]";

    boolean quick;
    int messages = 50_000;
    int repetitions = 5;
    List<String> only = List.of();

    void parse(String[] args) {
      for (int i = 0; i < args.length; i++) {
        switch (args[i]) {
          case "--quick" -> {
            quick = true;
            messages = 2_000;
            repetitions = 1;
          }
          case "--messages" -> messages = positive(args, i++);
          case "--repetitions" -> repetitions = positive(args, i++);
          case "--only" -> only = keys(args, i++);
          default -> throw new IllegalArgumentException("unknown option '" + args[i] + "'");
        }
      }
    }

    boolean wants(String key) {
      return only.isEmpty() || only.contains(key);
    }

    /** A quick run shows that everything works, and the order of magnitude. */
    double scale() {
      return quick ? 0.01 : 1;
    }

    private static int positive(String[] args, int option) {
      String value = value(args, option);
      if (!value.matches("[1-9][0-9]{0,7}")) {
        throw new IllegalArgumentException(
            "%s is '%s'; expected a number from 1".formatted(args[option], value));
      }
      return Integer.parseInt(value);
    }

    private static List<String> keys(String[] args, int option) {
      List<String> known = Workload.all().stream().map(Workload::key).toList();
      List<String> chosen = Arrays.asList(value(args, option).split(",", -1));
      for (String key : chosen) {
        if (!known.contains(key)) {
          throw new IllegalArgumentException(
              "there is no workload '%s'; expected some of %s".formatted(key, known));
        }
      }
      return chosen;
    }

    private static String value(String[] args, int option) {
      if (option + 1 >= args.length) {
        throw new IllegalArgumentException(args[option] + " has no value");
      }
      return args[option + 1];
    }
  }
}
