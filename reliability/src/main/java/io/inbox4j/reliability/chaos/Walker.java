package io.inbox4j.reliability.chaos;

import io.inbox4j.testkit.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
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
   * @param database its way to the database, given that of the others
   */
  record Kind(
      List<String> arguments, Map<String, String> environment, UnaryOperator<String> database) {

    static final Kind USUAL = new Kind();

    /** Knows only the first of the events. */
    static final Kind OLD = new Kind("old");

    /** Has two connections for all its handlers. */
    static final Kind NARROW = new Kind("narrow");

    private Kind(String... arguments) {
      this(List.of(arguments), Map.of(), UnaryOperator.identity());
    }

    /** Another service that has its messages in the same tables, and does not own these. */
    static Kind neighbour(String role) {
      return new Kind(
          List.of("neighbour"), Map.of(), url -> url.replace("user=postgres", "user=" + role));
    }

    /** Comes to the database by way of another program. */
    static Kind by(UnaryOperator<String> way) {
      return new Kind(List.of(), Map.of(), way);
    }

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
              "1"),
          UnaryOperator.identity());
    }
  }

  static Walker start(String name, Role role, Kind kind, String jdbcUrl, Wire toRabbit) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                role.name(),
                kind.database().apply(jdbcUrl) + "&ApplicationName=" + name,
                toRabbit.amqpUri()));
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

  /**
   * What it needs of the machine when nothing is to be done.
   *
   * @param sessions how many it has in the database
   */
  Needs needs(long sessions) {
    String[] words = ask("REPORT", "needs ").split(" ", -1);
    return new Needs(
        Integer.parseInt(words[1]), Long.parseLong(words[2]), sessions, toRabbit.links());
  }

  /** Lets its retention job remove what is old; whether it could, and no other one was at it. */
  boolean tidies() {
    return ask("TIDY", "tidied ").equals("tidied true");
  }

  private String ask(String question, String answer) {
    int before = process.lines().size();
    process.send(question);
    return process.awaitLine(
        it -> it.startsWith(answer) && process.lines().lastIndexOf(it) >= before, DEADLINE);
  }

  /** How much mischief it has done that it was told to do for a while. */
  long mischief() {
    return Long.parseLong(ask("COUNT", "counted ").split(" ", -1)[1]);
  }

  /** Threads, megabytes of heap after a collection, and connections to database and broker. */
  record Needs(int threads, long heap, long sessions, int links) {

    /** The line by which a process says what only it knows. */
    static String line() {
      System.gc();
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return "needs %d %d"
          .formatted(
              Thread.getAllStackTraces().size(),
              (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    /** Whether it has stayed with what it needed before, give or take what comes and goes. */
    boolean isBackAt(Needs before) {
      return threads <= before.threads + 8
          && heap <= before.heap + 16
          && sessions <= before.sessions + 8
          && links <= before.links;
    }

    @Override
    public String toString() {
      return "%d threads, %d MB of heap, %d database sessions, %d broker connections"
          .formatted(threads, heap, sessions, links);
    }
  }
}
