package io.inbox4j.endtoend;

import io.inbox4j.listener.InboxListener;
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
  public void received(Received event) {
    received.incrementAndGet();
  }

  @Override
  public void duplicate(Duplicate event) {
    duplicates.incrementAndGet();
  }

  @Override
  public void quarantined(Quarantined event) {
    quarantined.incrementAndGet();
  }

  @Override
  public void processed(Processed event) {
    processed.incrementAndGet();
  }

  @Override
  public void interrupted(Interrupted event) {
    interrupted.incrementAndGet();
  }

  @Override
  public void connected(Connected event) {
    connected.incrementAndGet();
  }

  @Override
  public void disconnected(Disconnected event) {
    disconnected.incrementAndGet();
  }
}
