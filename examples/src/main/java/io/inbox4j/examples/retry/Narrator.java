package io.inbox4j.examples.retry;

import io.inbox4j.listener.InboxListener;

/** A listener that tells what becomes of every message. */
final class Narrator implements InboxListener {

  @Override
  public void processed(Processed event) {
    System.out.printf("processed in attempt %d%n", event.attempt());
  }

  @Override
  public void retried(Retried event) {
    System.out.printf(
        "attempt %d failed, again in %d ms: %s%n",
        event.attempt(), event.delay().toMillis(), event.failure().getMessage());
  }

  @Override
  public void dead(Dead event) {
    System.out.printf(
        "dead after attempt %d: %s%n",
        event.attempt(), event.error().lines().findFirst().orElse(""));
  }

  @Override
  public void replayed(Replayed event) {
    System.out.println("replayed");
  }

  @Override
  public void discarded(Discarded event) {
    System.out.println("discarded");
  }
}
