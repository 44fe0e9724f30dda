package io.inbox4j.rabbitmq;

import io.inbox4j.format.EventTypes;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that remembers what it was given, and does before it returns what a test wants. */
class RecordingReceiver implements DeliveryReceiver<StockCounted> {

  /** What happens before a batch counts as stored. */
  interface Before {
    void store(List<Delivery> deliveries) throws InterruptedException;
  }

  private final Before before;
  private final AtomicInteger calls = new AtomicInteger();
  private final List<ValidatedDelivery> arrivals = new CopyOnWriteArrayList<>();

  RecordingReceiver(Before before) {
    this.before = before;
  }

  /** What was stored, in order. */
  List<ValidatedDelivery> arrivals() {
    return new ArrayList<>(arrivals);
  }

  /** How often it was called. */
  int calls() {
    return calls.get();
  }

  /** The bodies that were stored, in order. */
  List<String> stored() {
    return arrivals.stream()
        .map(arrival -> new String(arrival.delivery().body(), StandardCharsets.UTF_8))
        .toList();
  }

  @Override
  public EventTypes<StockCounted> types() {
    return EventTypes.of(List.of(StockCounted.class));
  }

  @Override
  public ValidatedDelivery check(Delivery delivery) {
    return new ValidatedDelivery.Rejected(
        delivery, null, QuarantineReason.UNREADABLE, "not looked at");
  }

  @Override
  public void store(List<ValidatedDelivery> batch) {
    calls.incrementAndGet();
    List<Delivery> deliveries = batch.stream().map(ValidatedDelivery::delivery).toList();
    try {
      before.store(deliveries);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    arrivals.addAll(batch);
  }
}
