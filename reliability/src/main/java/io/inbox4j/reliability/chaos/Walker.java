package io.inbox4j.reliability.chaos;

import io.inbox4j.testkit.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A process of the inbox.
 *
 * @param name its name among the sessions of the database
 * @param role whether it receives or handles
 * @param toRabbit its way to the broker
 */
record Walker(String name, Role role, ChildProcess process, Wire toRabbit) {

  static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration GRACE = WalkService.DEADLINE.plusSeconds(10);
  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  /** What it does. */
  enum Role {
    RECEIVE,
    PROCESS
  }

  /**
   * How it differs from the usual process.
   *
   * @param arguments for the service
   * @param environment for its JVM
   */
  record Kind(List<String> arguments, Map<String, String> environment) {

    static final Kind USUAL = new Kind(List.of(), Map.of());

    /** Knows only the first of the events. */
    static final Kind OLD = new Kind(List.of("old"), Map.of());

    /** Has two connections for all its handlers. */
    static final Kind NARROW = new Kind(List.of("narrow"), Map.of());

    private static final List<Path> FAKE_TIME =
        Stream.of("x86_64-linux-gnu", "aarch64-linux-gnu")
            .map(it -> Path.of("/usr/lib", it, "faketime", "libfaketimeMT.so.1"))
            .filter(Files::exists)
            .toList();

    static boolean canBeSkewed() {
      return !FAKE_TIME.isEmpty();
    }

    /** Takes it for five minutes later, or earlier, than it is. */
    static Kind skewed(boolean late) {
      return new Kind(
          List.of(),
          Map.of(
              "LD_PRELOAD",
              FAKE_TIME.get(0).toString(),
              "FAKETIME",
              late ? "+5m" : "-5m",
              "DONT_FAKE_MONOTONIC",
              "1",
              "FAKETIME_NO_CACHE",
              "1"));
    }
  }

  static Walker start(String name, Role role, Kind kind, String jdbcUrl, Wire toRabbit) {
    List<String> arguments =
        new ArrayList<>(
            List.of(role.name(), jdbcUrl + "&ApplicationName=" + name, toRabbit.amqpUri()));
    arguments.addAll(kind.arguments());
    ChildProcess process =
        ChildProcess.start(
            JVM_OPTIONS, kind.environment(), WalkService.class, arguments.toArray(String[]::new));
    return new Walker(name, role, process, toRabbit);
  }

  void awaitStart() {
    process.awaitLine("started", DEADLINE);
  }

  /** Asks it to end, and waits until it has; it takes no longer than it was given. */
  void end() {
    process.terminate();
    process.exitCode(GRACE);
  }

  /** Kills it if it is still there. */
  void close() {
    process.close();
    toRabbit.close();
  }

  /** What it needs of the machine when nothing is to be done. */
  Needs needs() {
    int before = process.lines().size();
    process.send("REPORT");
    Needs[] found = new Needs[1];
    process.awaitLine(
        line -> {
          if (!line.startsWith("needs ") || process.lines().lastIndexOf(line) < before) {
            return false;
          }
          found[0] = Needs.parse(line);
          return true;
        },
        DEADLINE);
    return found[0];
  }

  /** Threads, and megabytes of heap after a collection. */
  record Needs(int threads, long heap) {

    static Needs now() {
      System.gc();
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return new Needs(
          Thread.getAllStackTraces().size(), (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    static Needs parse(String line) {
      String[] words = line.split(" ", -1);
      return new Needs(Integer.parseInt(words[1]), Long.parseLong(words[2]));
    }

    /** Whether it has stayed with what it needed before, give or take what comes and goes. */
    boolean isBackAt(Needs before) {
      return threads <= before.threads + 8 && heap <= before.heap + 16;
    }

    String line() {
      return "needs %d %d".formatted(threads, heap);
    }

    @Override
    public String toString() {
      return "%d threads, %d MB of heap".formatted(threads, heap);
    }
  }
}
