package io.inbox4j.event;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * Deterministic message ids: the same input always gives the same id.
 *
 * <p>A random id per send defeats deduplication: a send repeated after a timeout would look like a
 * second event. Derive the id from what happened instead:
 *
 * <pre>{@code
 * UUID id = MessageIds.of("order", orderId, "created");
 * }</pre>
 */
public final class MessageIds {

  /** The maximum length of an id, in characters. */
  public static final int MAX_LENGTH = 255;

  private static final UUID NAMESPACE = UUID.fromString("8c3f1b0a-6a6e-5d43-9c55-6f0f3a1f7e10");

  private MessageIds() {}

  /**
   * Derives an id from business values: the same parts in the same order give the same id.
   *
   * <p>Parts are compared by their {@code toString()}, with their lengths, so that {@code ("ab",
   * "c")} and {@code ("a", "bc")} differ.
   */
  public static UUID of(Object... parts) {
    if (parts.length == 0) {
      throw new IllegalArgumentException("no parts given: an id needs at least one business part");
    }
    MessageDigest sha1 = digest("SHA-1");
    sha1.update(bytes(NAMESPACE));
    for (Object part : parts) {
      byte[] text = part.toString().getBytes(StandardCharsets.UTF_8);
      sha1.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).array());
      sha1.update(text);
    }
    return uuid(sha1.digest(), 5);
  }

  /** Derives an id from a message's bytes: the same content gives the same id. */
  public static UUID ofContent(byte[] content) {
    return uuid(digest("SHA-256").digest(content), 8);
  }

  /**
   * Checks an id that a producer sent and returns it as a UUID.
   *
   * <p>A UUID is used as is; any other text is mapped to a name-based UUID, the same one each time.
   *
   * @throws IllegalArgumentException if the id is blank, too long or not valid UTF-8; the message
   *     says which
   */
  public static UUID parse(String id) {
    if (isUuid(id)) {
      return UUID.fromString(id);
    }
    if (id.isBlank()) {
      throw new IllegalArgumentException(
          "the message id is blank; expected a UUID or a stable text");
    }
    if (id.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "the message id has %d characters; at most %d are accepted"
              .formatted(id.length(), MAX_LENGTH));
    }
    if (id.codePoints().anyMatch(MessageIds::isDamage)) {
      throw new IllegalArgumentException(
          "the message id is not valid UTF-8; different ids would look the same");
    }
    return of("text", id);
  }

  /** Whether the text is a UUID in its canonical form of 36 characters. */
  public static boolean isUuid(String text) {
    if (text.length() != 36) {
      return false;
    }
    for (int i = 0; i < 36; i++) {
      char c = text.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? c != '-' : Character.digit(c, 16) < 0 || c > 'f') {
        return false;
      }
    }
    return true;
  }

  /** Whether this is the replacement character of a failed decoding, or an unpaired surrogate. */
  private static boolean isDamage(int codePoint) {
    return codePoint == 0xFFFD
        || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
  }

  private static UUID uuid(byte[] hash, int version) {
    ByteBuffer buffer = ByteBuffer.wrap(hash);
    long high = (buffer.getLong() & 0xFFFFFFFFFFFF0FFFL) | ((long) version << 12);
    long low = (buffer.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low);
  }

  private static byte[] bytes(UUID uuid) {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
