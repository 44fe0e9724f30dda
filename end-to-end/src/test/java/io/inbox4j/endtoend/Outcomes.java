package io.inbox4j.endtoend;

import io.inbox4j.InboxListener;
import io.inbox4j.receive.QuarantineReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what a listener hears. */
final class Outcomes implements InboxListener {

  final AtomicInteger received = new AtomicInteger();
  final AtomicInteger duplicates = new AtomicInteger();
  final AtomicInteger quarantined = new AtomicInteger();
  final AtomicInteger processed = new AtomicInteger();
  final AtomicInteger interrupted = new AtomicInteger();
  final AtomicInteger connected = new AtomicInteger();
  final AtomicInteger disconnected = new AtomicInteger();

  @Override
  public void received(Message message) {
    received.incrementAndGet();
  }

  @Override
  public void duplicate(Message message) {
    duplicates.incrementAndGet();
  }

  @Override
  public void quarantined(String endpoint, QuarantineReason reason, String detail) {
    quarantined.incrementAndGet();
  }

  @Override
  public void processed(Message message, int attempt, Duration lag) {
    processed.incrementAndGet();
  }

  @Override
  public void interrupted(String endpoint, Throwable cause) {
    interrupted.incrementAndGet();
  }

  @Override
  public void connected(String endpoint) {
    connected.incrementAndGet();
  }

  @Override
  public void disconnected(String endpoint, Throwable cause) {
    disconnected.incrementAndGet();
  }
}
