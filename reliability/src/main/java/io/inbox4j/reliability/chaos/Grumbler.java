package io.inbox4j.reliability.chaos;

import io.inbox4j.InboxListener;
import io.inbox4j.operations.Health;
import io.inbox4j.receive.QuarantineReason;
import java.io.IOException;
import java.time.Duration;

/**
 * A listener that throws from every call while it is told to, in turn a checked exception that no
 * method declares, as code in Kotlin can, and an Error.
 */
final class Grumbler implements InboxListener {

  private static void grumble() {
    if (!Mischief.LISTENERS_THROW.strikes()) {
      return;
    }
    if (Mischief.LISTENERS_THROW.times() % 2 == 0) {
      throw new NoClassDefFoundError("a listener misses a class");
    }
    Grumbler.<RuntimeException>sneak(new IOException("a listener cannot write"));
  }

  @SuppressWarnings("unchecked") // that is the trick: nothing checks it at run time
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Override
  public void received(Message message) {
    grumble();
  }

  @Override
  public void duplicate(Message message) {
    grumble();
  }

  @Override
  public void quarantined(String endpoint, QuarantineReason reason, String detail) {
    grumble();
  }

  @Override
  public void processed(Message message, int attempt, Duration lag) {
    grumble();
  }

  @Override
  public void retried(Message message, int attempt, Duration delay, Throwable failure) {
    grumble();
  }

  @Override
  public void postponed(Message message, String reason) {
    grumble();
  }

  @Override
  public void dead(Message message, int attempt, String error) {
    grumble();
  }

  @Override
  public void recovered(Message message) {
    grumble();
  }

  @Override
  public void batchStored(String endpoint, int deliveries) {
    grumble();
  }

  @Override
  public void batchHandled(String endpoint, int messages) {
    grumble();
  }

  @Override
  public void handled(String endpoint, String type, int messages, Duration time, boolean well) {
    grumble();
  }

  @Override
  public void interrupted(String endpoint, Throwable cause) {
    grumble();
  }

  @Override
  public void connected(String endpoint) {
    grumble();
  }

  @Override
  public void disconnected(String endpoint, Throwable cause) {
    grumble();
  }

  @Override
  public void healthChanged(Health.Part part) {
    grumble();
  }
}
