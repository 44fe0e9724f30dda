package io.inbox4j.internal.receive;

import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ReceiveMiddleware;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A receiver with middleware around it. */
public record ReceiverMiddlewareChain<T extends IntegrationEvent>(
    String endpoint, ReceiveMiddleware middleware, DeliveryReceiver<T> inside, FailureLog failures)
    implements DeliveryReceiver<T> {

  private static final Logger log = LoggerFactory.getLogger(ReceiverMiddlewareChain.class);

  /** Wraps a receiver in all of this middleware, the first outermost. */
  public static <T extends IntegrationEvent> DeliveryReceiver<T> of(
      String endpoint,
      List<ReceiveMiddleware> middleware,
      DeliveryReceiver<T> deliveryReceiver,
      FailureLog failures) {
    DeliveryReceiver<T> all = deliveryReceiver;
    for (int i = middleware.size() - 1; i >= 0; i--) {
      all = new ReceiverMiddlewareChain<>(endpoint, middleware.get(i), all, failures);
    }
    return all;
  }

  @Override
  public EventTypes<T> types() {
    return inside.types();
  }

  @Override
  public ValidatedDelivery check(Delivery delivery) {
    return inside.check(delivery);
  }

  @Override
  public void probe() {
    inside.probe();
  }

  @Override
  public void store(List<ValidatedDelivery> batch) {
    List<Delivery> deliveries = batch.stream().map(ValidatedDelivery::delivery).toList();
    Storing storing = new Storing(batch);
    try {
      middleware.store(endpoint, deliveries, storing);
    } catch (Throwable e) { // middleware may throw anything, before or after storing
      if (e == storing.failure) {
        throw e;
      }
      failed(e, storing.done);
    }
    if (!storing.done) {
      throw new InboxException(
          "%d deliveries are not stored: the receive middleware %s did not call next.run(), or kept back what it threw"
              .formatted(batch.size(), middleware.getClass().getName()));
    }
  }

  /** Stored deliveries are acknowledged in spite of the failure; the others are offered again. */
  private void failed(Throwable failure, boolean stored) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    String name = middleware.getClass().getName();
    if (!stored) {
      throw failure instanceof InboxException ours
          ? ours
          : new InboxException(
              "the receive middleware %s failed: %s"
                  .formatted(name, LoggedFailure.summary(failure)),
              failure);
    }
    log.error(
        "The receive middleware {} failed after deliveries of {} were stored, which are"
            + " acknowledged: {}",
        name,
        endpoint,
        failures.line(failure),
        failures.seldom("receive middleware", failure));
  }

  /** The storing that the middleware calls, and its result. */
  private final class Storing implements Runnable {

    private final List<ValidatedDelivery> batch;
    private boolean done;
    private @Nullable Throwable failure;

    private Storing(List<ValidatedDelivery> batch) {
      this.batch = batch;
    }

    @Override
    public void run() {
      try {
        inside.store(batch);
        done = true;
      } catch (Throwable e) {
        failure = e;
        throw e;
      }
    }
  }
}
