package io.inbox4j.internal.receive;

import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.JvmExhaustion;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Validates a body: whether a format reads it, and which message id it contains. */
final class BodyValidator {

  private final EventReader reader;
  private final int maxSize;
  private final JsonValidator json = new JsonValidator();

  BodyValidator(EventReader reader, int maxSize) {
    this.reader = reader;
    this.maxSize = maxSize;
  }

  /** The text of the body's message id, or null if there is none. */
  @Nullable String messageIdIn(Delivery delivery) throws RejectedDelivery {
    EventFormat format = format(delivery.contentType());
    checkEncoding(delivery.contentEncoding());
    checkSize(delivery.body().length);
    return format instanceof JsonFormat
        ? json.messageIdIn(delivery.body())
        : messageIdIn(delivery.body(), format);
  }

  private EventFormat format(@Nullable String contentType) throws RejectedDelivery {
    EventFormat format = reader.formatOf(contentType);
    if (format == null) {
      throw new RejectedDelivery(
          QuarantineReason.CONTENT_TYPE,
          "the content type is '%s'; this inbox reads: %s"
              .formatted(contentType, reader.contentTypes()));
    }
    if (contentType != null && contentType.contains(";") && format instanceof JsonFormat) {
      checkCharset(contentType);
    }
    return format;
  }

  private static void checkCharset(String contentType) throws RejectedDelivery {
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      if (parameter.startsWith("charset=") && !isUtf8(parameter.substring(8))) {
        throw new RejectedDelivery(
            QuarantineReason.CHARSET,
            "the content type is '%s'; expected the charset utf-8".formatted(contentType));
      }
    }
  }

  private static void checkEncoding(@Nullable String encoding) throws RejectedDelivery {
    if (encoding == null) {
      return;
    }
    String name = encoding.strip().toLowerCase(Locale.ROOT);
    if (!name.isEmpty() && !name.equals("identity") && !isUtf8(name)) {
      throw new RejectedDelivery(
          QuarantineReason.CONTENT_ENCODING,
          "the content encoding is '%s'; expected a body that is not encoded".formatted(encoding));
    }
  }

  private static boolean isUtf8(String charset) {
    return charset.equals("utf-8") || charset.equals("utf8") || charset.equals("us-ascii");
  }

  private void checkSize(int size) throws RejectedDelivery {
    if (size == 0) {
      throw new RejectedDelivery(QuarantineReason.EMPTY_BODY, "the body is empty");
    }
    if (size > maxSize) {
      throw new RejectedDelivery(
          QuarantineReason.BODY_TOO_LARGE,
          "the body has %,d bytes; this endpoint accepts %,d".formatted(size, maxSize));
    }
  }

  private static @Nullable String messageIdIn(byte[] body, EventFormat format)
      throws RejectedDelivery {
    try {
      return format.messageIdIn(body);
    } catch (UnreadableEventException e) {
      throw new RejectedDelivery(QuarantineReason.UNREADABLE, String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      VirtualMachineError exhausted = JvmExhaustion.in(e);
      if (exhausted != null) {
        throw exhausted;
      }
      throw new RejectedDelivery(
          QuarantineReason.UNREADABLE,
          "%s could not look for the message id in the body: %s"
              .formatted(format.getClass().getName(), LoggedFailure.summary(e)));
    }
  }
}
