package io.inbox4j.reliability.chaos;

import io.inbox4j.listener.InboxListener;
import java.io.IOException;

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
  public void received(Received event) {
    grumble();
  }

  @Override
  public void duplicate(Duplicate event) {
    grumble();
  }

  @Override
  public void quarantined(Quarantined event) {
    grumble();
  }

  @Override
  public void processed(Processed event) {
    grumble();
  }

  @Override
  public void retried(Retried event) {
    grumble();
  }

  @Override
  public void postponed(Postponed event) {
    grumble();
  }

  @Override
  public void dead(Dead event) {
    grumble();
  }

  @Override
  public void recovered(Recovered event) {
    grumble();
  }

  @Override
  public void batchStored(BatchStored event) {
    grumble();
  }

  @Override
  public void batchHandled(BatchHandled event) {
    grumble();
  }

  @Override
  public void handled(Handled event) {
    grumble();
  }

  @Override
  public void interrupted(Interrupted event) {
    grumble();
  }

  @Override
  public void connected(Connected event) {
    grumble();
  }

  @Override
  public void disconnected(Disconnected event) {
    grumble();
  }

  @Override
  public void healthChanged(HealthChanged event) {
    grumble();
  }
}
