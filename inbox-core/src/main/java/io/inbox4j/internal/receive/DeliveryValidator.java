package io.inbox4j.internal.receive;

import io.inbox4j.event.MessageIds;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.JvmExhaustion;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.NotBefore;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates deliveries: whether each is an event that the endpoint can store. */
public final class DeliveryValidator {

  private static final Logger log = LoggerFactory.getLogger(DeliveryValidator.class);

  private final EventTypes<?> types;
  private final MessageIdSource idSource;
  private final ReceiveLimits limits;
  private final OrderingKeySource orderingKey;
  private final EventReader reader;
  private final BodyValidator body;

  /** The clock of this process is good enough to detect a time that is too far in the future. */
  private final Clock clock = Clock.systemUTC();

  public DeliveryValidator(
      EventTypes<?> types,
      MessageIdSource idSource,
      ReceiveLimits limits,
      OrderingKeySource orderingKey,
      EventReader reader) {
    this.types = types;
    this.idSource = idSource;
    this.limits = limits;
    this.orderingKey = orderingKey;
    this.reader = reader;
    this.body = new BodyValidator(reader, limits.maxBodySize());
  }

  /**
   * Validates a delivery. Any defect is a reason to reject it, and so is an exception of user code;
   * only an exhausted JVM is an error that is thrown, because the delivery need not be to blame.
   */
  public ValidatedDelivery check(Delivery delivery) {
    String headers = null;
    try {
      headers = HeaderJson.write(delivery.headers());
      checkHeaders(delivery, headers);
      String bodyId = body.messageIdIn(delivery);
      UUID id = identity(delivery, bodyId);
      String type = type(delivery);
      String key = orderingKey.of(delivery, type, id, types, reader);
      return new ValidatedDelivery.Event(delivery, headers, id, type, key, notBefore(delivery));
    } catch (RejectedDelivery e) {
      return new ValidatedDelivery.Rejected(delivery, headers, e.reason(), e.detail());
    } catch (Throwable e) { // from an ordering key, a constructor, an upcaster
      if (JvmExhaustion.in(e) != null) {
        throw e;
      }
      log.debug("A delivery could not be looked at", LoggedFailure.of(e));
      return new ValidatedDelivery.Rejected(
          delivery,
          headers,
          QuarantineReason.UNREADABLE,
          "it could not be looked at: " + LoggedFailure.summary(e));
    }
  }

  private void checkHeaders(Delivery delivery, @Nullable String headers) throws RejectedDelivery {
    Object unreadable = delivery.headers().get(Delivery.UNREADABLE_HEADERS);
    if (unreadable != null) {
      throw new RejectedDelivery(
          QuarantineReason.UNREADABLE,
          "headers cannot be read, nested too deeply or of an unknown type: " + unreadable);
    }
    if (headers != null && headers.length() > limits.maxHeaderSize()) {
      throw new RejectedDelivery(
          QuarantineReason.HEADERS_TOO_LARGE,
          "the headers have %,d bytes; this endpoint accepts %,d"
              .formatted(headers.length(), limits.maxHeaderSize()));
    }
  }

  private UUID identity(Delivery delivery, @Nullable String bodyId) throws RejectedDelivery {
    String propertyId = delivery.messageId();
    return switch (idSource) {
      case PROPERTY -> parse(propertyId, "the message-id property is not set");
      case BODY -> parse(bodyId, "the body has no messageId");
      case CONTENT -> MessageIds.ofContent(delivery.body());
      case ANY -> agreed(propertyId, bodyId);
    };
  }

  private static UUID agreed(@Nullable String propertyId, @Nullable String bodyId)
      throws RejectedDelivery {
    String missing = "neither the message-id property nor the body's messageId is set";
    UUID id = parse(propertyId == null ? bodyId : propertyId, missing);
    if (bodyId != null
        && propertyId != null
        && !bodyId.equals(propertyId)
        && !id.equals(parse(bodyId, missing))) {
      throw new RejectedDelivery(
          QuarantineReason.ID_MISMATCH,
          "the message-id property is '%s', the body's messageId is '%s'; expected the same, or an endpoint that reads one of them only"
              .formatted(propertyId, bodyId));
    }
    return id;
  }

  private static UUID parse(@Nullable String id, String missing) throws RejectedDelivery {
    if (id == null) {
      throw new RejectedDelivery(QuarantineReason.MISSING_ID, missing);
    }
    try {
      return MessageIds.parse(id);
    } catch (IllegalArgumentException e) {
      throw new RejectedDelivery(QuarantineReason.BAD_ID, String.valueOf(e.getMessage()));
    }
  }

  private @Nullable Instant notBefore(Delivery delivery) throws RejectedDelivery {
    try {
      Instant time = NotBefore.of(delivery);
      if (time != null && time.isAfter(clock.instant().plus(limits.maxDelay()))) {
        throw new RejectedDelivery(
            QuarantineReason.BAD_TIME,
            "the header %s is '%s'; this endpoint accepts times up to %s ahead"
                .formatted(
                    NotBefore.HEADER, delivery.headers().get(NotBefore.HEADER), days(limits)));
      }
      return time;
    } catch (DateTimeException e) {
      throw new RejectedDelivery(
          QuarantineReason.BAD_TIME,
          "the header %s is '%s'; expected an ISO 8601 time such as 2030-01-31T08:00:00Z, or milliseconds since 1970"
              .formatted(NotBefore.HEADER, delivery.headers().get(NotBefore.HEADER)));
    }
  }

  private static String days(ReceiveLimits limits) {
    long days = limits.maxDelay().toDays();
    return days > 0 ? days + " days" : limits.maxDelay().toString();
  }

  private String type(Delivery delivery) throws RejectedDelivery {
    String name = delivery.type();
    if (name == null || name.isBlank()) {
      String only = types.onlyName();
      if (only == null) {
        throw new RejectedDelivery(
            QuarantineReason.MISSING_TYPE,
            "the type property is not set, and this endpoint knows several: " + types);
      }
      return only;
    }
    if (types.find(name) == null) {
      throw new RejectedDelivery(
          QuarantineReason.UNKNOWN_TYPE,
          "the type is '%s'; this endpoint knows: %s".formatted(name, types));
    }
    return name;
  }
}
