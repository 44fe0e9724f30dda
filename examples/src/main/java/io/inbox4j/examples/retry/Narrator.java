package io.inbox4j.examples.retry;

import io.inbox4j.InboxListener;
import java.time.Duration;

/** A listener that tells what becomes of every message. */
final class Narrator implements InboxListener {

  @Override
  public void processed(Message message, int attempt, Duration lag) {
    System.out.printf("processed in attempt %d%n", attempt);
  }

  @Override
  public void retried(Message message, int attempt, Duration delay, Throwable failure) {
    System.out.printf(
        "attempt %d failed, again in %d ms: %s%n", attempt, delay.toMillis(), failure.getMessage());
  }

  @Override
  public void dead(Message message, int attempt, String error) {
    System.out.printf("dead after attempt %d: %s%n", attempt, error.lines().findFirst().orElse(""));
  }

  @Override
  public void replayed(Message message) {
    System.out.println("replayed");
  }

  @Override
  public void discarded(Message message) {
    System.out.println("discarded");
  }
}
