package io.inbox4j.benchmarks.lab;

import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Processes that share their work, each a JVM of its own that reports its {@link Progress}. */
public final class Fleet implements AutoCloseable {

  /** What a process prints when it is at work. */
  public static final String STARTED = "started";

  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 5;

  private final List<ChildProcess> processes = new ArrayList<>();

  private Fleet() {}

  /**
   * Starts this many, one after the other: many that load their classes at the same time would keep
   * each other from connecting. Each gets these arguments and, as the last one, its number.
   */
  public static Fleet start(int count, List<String> jvmOptions, Class<?> main, String... args) {
    Fleet fleet = new Fleet();
    try {
      for (int i = 0; i < count; i++) {
        String[] all = Stream.concat(Stream.of(args), Stream.of("" + i)).toArray(String[]::new);
        ChildProcess process = ChildProcess.start(jvmOptions, main, all);
        fleet.processes.add(process);
        process.awaitLine(STARTED, DEADLINE);
      }
      return fleet;
    } catch (RuntimeException | Error e) { // one that has not started is an error
      fleet.close();
      throw e;
    }
  }

  /** Returns when every one of them has printed a line with this prefix: the rest of each. */
  public List<String> await(String prefix) {
    return processes.stream()
        .map(it -> it.awaitLine(prefix, DEADLINE).substring(prefix.length()))
        .toList();
  }

  /** Writes a line to every one of them. */
  public void send(String line) {
    processes.forEach(it -> it.send(line));
  }

  /** Returns when they have handled this many messages, all of them together since their start. */
  public void awaitHandled(long messages) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (handled() < messages) {
      if (System.nanoTime() > deadline || !processes.stream().allMatch(ChildProcess::isAlive)) {
        throw new IllegalStateException(
            "%,d of %,d messages are handled; processes say: %s"
                .formatted(
                    handled(),
                    messages,
                    processes.stream().flatMap(it -> it.errorLines().stream()).toList()));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private long handled() {
    return processes.stream().mapToLong(Fleet::handled).sum();
  }

  private static long handled(ChildProcess process) {
    List<String> lines = process.lines();
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (lines.get(i).startsWith(Progress.HANDLED)) {
        return Long.parseLong(lines.get(i).substring(Progress.HANDLED.length()));
      }
    }
    return 0;
  }

  /** The CPU time that they have taken so far. */
  public Duration cpu() {
    return processes.stream()
        .map(it -> ProcessHandle.of(it.pid()).orElseThrow().info().totalCpuDuration().orElseThrow())
        .reduce(Duration.ZERO, Duration::plus);
  }

  @Override
  public void close() {
    processes.forEach(ChildProcess::close);
  }
}
