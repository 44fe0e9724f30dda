package io.inbox4j.receive.internal;

import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventTypes;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.Intake;
import io.inbox4j.receive.ReceiveMiddleware;
import io.inbox4j.transport.Delivery;
import java.util.List;

/** An intake with a middleware around it. */
public record SurroundedIntake<T extends IntegrationEvent>(
    String endpoint, ReceiveMiddleware middleware, Intake<T> inside) implements Intake<T> {

  /** An intake with all of them around it, the first outermost. */
  public static <T extends IntegrationEvent> Intake<T> of(
      String endpoint, List<ReceiveMiddleware> middleware, Intake<T> intake) {
    Intake<T> all = intake;
    for (int i = middleware.size() - 1; i >= 0; i--) {
      all = new SurroundedIntake<>(endpoint, middleware.get(i), all);
    }
    return all;
  }

  @Override
  public EventTypes<T> types() {
    return inside.types();
  }

  @Override
  public Arrival check(Delivery delivery) {
    return inside.check(delivery);
  }

  @Override
  public void store(List<Arrival> batch) {
    List<Delivery> deliveries = batch.stream().map(Arrival::delivery).toList();
    middleware.store(endpoint, deliveries, () -> inside.store(batch));
  }
}
