package io.inbox4j.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The lines that a process prints to one of its streams, read by a thread of their own. */
final class ProcessLines {

  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private ProcessLines() {}

  static ProcessLines of(String name, BufferedReader reader) {
    ProcessLines lines = new ProcessLines();
    Thread thread = new Thread(() -> lines.readAll(reader), "output of " + name);
    thread.setDaemon(true);
    thread.start();
    return lines;
  }

  private void readAll(BufferedReader reader) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("(the stream broke: " + e + ")");
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized List<String> all() {
    return List.copyOf(lines);
  }

  /** The first line that matches; empty when the time is over or no more lines will come. */
  synchronized Optional<String> await(Predicate<String> condition, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    int seen = 0;
    while (true) {
      for (; seen < lines.size(); seen++) {
        if (condition.test(lines.get(seen))) {
          return Optional.of(lines.get(seen));
        }
      }
      long millis = (deadline - System.nanoTime()) / 1_000_000;
      if (ended || millis <= 0) {
        return Optional.empty();
      }
      try {
        wait(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for a line", e);
      }
    }
  }
}
