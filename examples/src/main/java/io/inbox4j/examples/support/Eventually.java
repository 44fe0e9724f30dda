package io.inbox4j.examples.support;

import java.time.Duration;

/** Waits for something that happens in the background. */
public final class Eventually {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Eventually() {}

  /** Something that becomes true. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Returns as soon as the condition holds.
   *
   * @param what is said of it if it does not hold within 30 s
   */
  public static void holds(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("waited for %s in vain: %s".formatted(PATIENCE, what));
      }
      Thread.sleep(50);
    }
  }
}
