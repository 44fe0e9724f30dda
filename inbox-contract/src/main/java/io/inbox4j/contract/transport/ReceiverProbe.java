package io.inbox4j.contract.transport;

import io.inbox4j.event.MessageIds;
import io.inbox4j.format.EventTypes;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A receiver that remembers what it was given, and does before it returns what a test wants. */
final class ReceiverProbe implements DeliveryReceiver<RecordedEvent> {

  /** The body of deliveries that are not valid events. */
  static final String BAD = "bad";

  private final List<List<ValidatedDelivery>> stored = new CopyOnWriteArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();

  /** What happens before a batch counts as stored, and before the probe returns. */
  volatile Consumer<List<ValidatedDelivery>> beforeStoring = batch -> {};

  volatile Runnable onProbe = () -> {};

  @Override
  public EventTypes<RecordedEvent> types() {
    return EventTypes.of(List.of(RecordedEvent.class));
  }

  @Override
  public ValidatedDelivery check(Delivery delivery) {
    String body = text(delivery);
    return body.equals(BAD)
        ? new ValidatedDelivery.Rejected(delivery, null, QuarantineReason.INVALID_JSON, "bad")
        : new ValidatedDelivery.Event(delivery, null, MessageIds.of(body), "recorded-event");
  }

  @Override
  public void store(List<ValidatedDelivery> batch) {
    calls.incrementAndGet();
    beforeStoring.accept(batch);
    stored.add(List.copyOf(batch));
  }

  @Override
  public void probe() {
    onProbe.run();
  }

  /** How often something was to be stored. */
  int calls() {
    return calls.get();
  }

  List<List<ValidatedDelivery>> batches() {
    return List.copyOf(stored);
  }

  List<ValidatedDelivery> stored() {
    return stored.stream().flatMap(List::stream).toList();
  }

  /** The bodies that were stored, in order. */
  List<String> bodies() {
    return stored().stream().map(it -> text(it.delivery())).toList();
  }

  static String text(Delivery delivery) {
    return new String(delivery.body(), StandardCharsets.UTF_8);
  }
}
