package io.inbox4j.internal.receive;

import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a quarantined delivery: everything that its producer wrote. It is the same for
 * every redelivery, whatever is found wrong with the delivery.
 */
public final class QuarantineFingerprint {

  /** Headers in which the broker counts deliveries: RabbitMQ 3, and since 4 the second as well. */
  private static final Set<String> COUNTS =
      Set.of("x-delivery-count", "x-acquired-count", "x-death");

  private final MessageDigest digest;

  private QuarantineFingerprint(MessageDigest digest) {
    this.digest = digest;
  }

  public static UUID of(ValidatedDelivery.Rejected rejected) {
    Delivery delivery = rejected.delivery();
    QuarantineFingerprint fingerprint = new QuarantineFingerprint(sha256());
    fingerprint.add(delivery.messageId());
    fingerprint.add(delivery.type());
    fingerprint.add(delivery.contentType());
    fingerprint.add(delivery.contentEncoding());
    fingerprint.add(delivery.correlationId());
    fingerprint.add(delivery.source());
    fingerprint.add(rejected.headers() == null ? null : producersOwn(delivery.headers()));
    fingerprint.digest.update(delivery.body());
    ByteBuffer digested = ByteBuffer.wrap(fingerprint.digest.digest());
    return new UUID(digested.getLong(), digested.getLong());
  }

  /** The length comes first, so that no content can be mistaken for the start of the next field. */
  private void add(@Nullable String text) {
    int length = text == null ? -1 : text.length();
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Math.max(0, length) * Character.BYTES);
    bytes.putInt(length);
    if (text != null) {
      bytes.asCharBuffer().put(text);
    }
    digest.update(bytes.array());
  }

  private static @Nullable String producersOwn(Map<String, @Nullable Object> headers) {
    Map<String, @Nullable Object> own = new HashMap<>(headers);
    own.keySet().removeIf(QuarantineFingerprint::isBrokers);
    return HeaderJson.writeSorted(own);
  }

  private static boolean isBrokers(String header) {
    return COUNTS.contains(header)
        || header.startsWith("x-first-death-")
        || header.startsWith("x-last-death-");
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
