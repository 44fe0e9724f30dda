package io.inbox4j.benchmarks.byhand;

import io.inbox4j.benchmarks.lab.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that all do the same. */
public final class Workers {

  private Workers() {}

  /** Returns when every one of them has. */
  public static void run(int count, Trial.Act act) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(
            executor.submit(
                () -> {
                  act.run();
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }
}
