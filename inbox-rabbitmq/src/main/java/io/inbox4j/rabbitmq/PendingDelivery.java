package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.JvmExhaustion;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is waiting to be stored.
 *
 * @param tag the tag to acknowledge it with
 * @param since when it arrived, as {@link System#nanoTime}
 * @param arrival the result of its validation, or null if that failed
 */
record PendingDelivery(
    long tag, long since, Delivery delivery, @Nullable ValidatedDelivery arrival) {

  /** Validates a delivery. Never fails because of what the checks throw. */
  static PendingDelivery of(
      DeliveryReceiver<?> deliveryReceiver,
      Envelope envelope,
      BasicProperties properties,
      byte[] body) {
    Delivery delivery = delivery(envelope, properties, body);
    ValidatedDelivery arrival;
    try {
      arrival = deliveryReceiver.check(delivery);
    } catch (Throwable e) { // out of memory, for example: retried when its turn comes
      arrival = null;
    }
    return new PendingDelivery(envelope.getDeliveryTag(), System.nanoTime(), delivery, arrival);
  }

  private static Delivery delivery(Envelope envelope, BasicProperties properties, byte[] body) {
    AmqpDelivery all = new AmqpDelivery(envelope, properties, body);
    try {
      return all.toDelivery();
    } catch (Throwable e) { // from the headers; all else is taken over as it is
      if (JvmExhaustion.in(e) != null) {
        throw e;
      }
      return all.toDelivery(
          Map.of(Delivery.UNREADABLE_HEADERS, "all of them, " + LoggedFailure.kind(e)));
    }
  }

  /**
   * The validated delivery. If validation fails, it is quarantined with the failure; if memory is
   * exhausted, only when this delivery is itself the reason, otherwise the error is rethrown.
   *
   * @param isHopeless whether there is no point in validating it again
   */
  ValidatedDelivery checked(DeliveryReceiver<?> deliveryReceiver, BooleanSupplier isHopeless) {
    if (arrival != null) {
      return arrival;
    }
    try {
      return deliveryReceiver.check(delivery);
    } catch (Throwable e) {
      if (JvmExhaustion.in(e) != null && !isHopeless.getAsBoolean()) {
        throw e;
      }
      return new ValidatedDelivery.Rejected(
          delivery,
          null,
          QuarantineReason.UNREADABLE,
          "it could not be looked at: " + LoggedFailure.summary(e));
    }
  }

  /** The size of its body in bytes, which is nearly all of it. */
  int size() {
    return delivery.body().length;
  }

  /** How long ago it arrived. */
  Duration held() {
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
