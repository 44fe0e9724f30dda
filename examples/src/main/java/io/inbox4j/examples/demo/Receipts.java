package io.inbox4j.examples.demo;

import io.inbox4j.InboxListener;
import io.inbox4j.receive.QuarantineReason;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the receiver does with deliveries. */
final class Receipts implements InboxListener {

  private final AtomicLong received = new AtomicLong();
  private final AtomicLong duplicates = new AtomicLong();
  private final AtomicLong quarantined = new AtomicLong();

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
