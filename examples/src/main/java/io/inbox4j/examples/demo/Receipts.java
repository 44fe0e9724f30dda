package io.inbox4j.examples.demo;

import io.inbox4j.listener.InboxListener;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the receiver does with deliveries. */
final class Receipts implements InboxListener {

  private final AtomicLong received = new AtomicLong();
  private final AtomicLong duplicates = new AtomicLong();
  private final AtomicLong quarantined = new AtomicLong();

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

  long received() {
    return received.get();
  }

  long duplicates() {
    return duplicates.get();
  }

  long quarantined() {
    return quarantined.get();
  }

  /** All deliveries that were dealt with. */
  long deliveries() {
    return received.get() + duplicates.get() + quarantined.get();
  }
}
