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
 * A delivery that waits to be stored.
 *
 * @param tag by which it is acknowledged
 * @param since when it came, as {@link System#nanoTime}
 * @param arrival what it is, or null if that could not be found out
 */
record PendingDelivery(
    long tag, long since, Delivery delivery, @Nullable ValidatedDelivery arrival) {

  /** Looks at a delivery. Never fails because of what the checks throw. */
  static PendingDelivery of(
      DeliveryReceiver<?> intake, Envelope envelope, BasicProperties properties, byte[] body) {
    Delivery delivery = delivery(envelope, properties, body);
    ValidatedDelivery arrival;
    try {
      arrival = intake.check(delivery);
    } catch (Throwable e) { // out of memory, say: there may be some when its turn comes
      arrival = null;
    }
    return new PendingDelivery(envelope.getDeliveryTag(), System.nanoTime(), delivery, arrival);
  }

  private static Delivery delivery(Envelope envelope, BasicProperties properties, byte[] body) {
    AmqpDelivery all = new AmqpDelivery(envelope, properties, body);
    try {
      return all.toDelivery();
    } catch (Throwable e) { // of headers, the only thing that is not taken over as it is
      if (JvmExhaustion.in(e) != null) {
        throw e;
      }
      return all.toDelivery(
          Map.of(Delivery.UNREADABLE_HEADERS, "all of them, " + LoggedFailure.kind(e)));
    }
  }

  /**
   * What it is. If nobody can tell, it is put aside, with what they failed with; for want of memory
   * only if it was the reason itself, otherwise that is thrown.
   *
   * @param isHopeless whether there is no point in looking at it another time
   */
  ValidatedDelivery checked(DeliveryReceiver<?> intake, BooleanSupplier isHopeless) {
    if (arrival != null) {
      return arrival;
    }
    try {
      return intake.check(delivery);
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

  /** The bytes of its body, which is nearly all of it. */
  int size() {
    return delivery.body().length;
  }

  /** For how long it has been here. */
  Duration held() {
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
