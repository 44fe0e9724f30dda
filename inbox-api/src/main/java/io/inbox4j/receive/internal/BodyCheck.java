package io.inbox4j.receive.internal;

import io.inbox4j.event.EventFormat;
import io.inbox4j.event.EventReader;
import io.inbox4j.event.JsonFormat;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.internal.Exhaustion;
import io.inbox4j.internal.LoggedFailure;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The checks of a body: whether somebody reads it, and what message id it carries. */
final class BodyCheck {

  private final EventReader reader;
  private final int maxSize;
  private final JsonCheck json = new JsonCheck();

  BodyCheck(EventReader reader, int maxSize) {
    this.reader = reader;
    this.maxSize = maxSize;
  }

  /** The text of the body's message id, or null if there is none. */
  @Nullable String messageIdIn(Delivery delivery) throws Rejection {
    EventFormat format = format(delivery.contentType());
    checkEncoding(delivery.contentEncoding());
    checkSize(delivery.body().length);
    return format instanceof JsonFormat
        ? json.messageIdIn(delivery.body())
        : messageIdIn(delivery.body(), format);
  }

  private EventFormat format(@Nullable String contentType) throws Rejection {
    EventFormat format = reader.formatOf(contentType);
    if (format == null) {
      throw new Rejection(
          QuarantineReason.CONTENT_TYPE,
          "the content type is '%s'; this inbox reads: %s"
              .formatted(contentType, reader.contentTypes()));
    }
    if (contentType != null && contentType.contains(";") && format instanceof JsonFormat) {
      checkCharset(contentType);
    }
    return format;
  }

  private static void checkCharset(String contentType) throws Rejection {
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      if (parameter.startsWith("charset=") && !isUtf8(parameter.substring(8))) {
        throw new Rejection(
            QuarantineReason.CHARSET,
            "the content type is '%s'; expected the charset utf-8".formatted(contentType));
      }
    }
  }

  private static void checkEncoding(@Nullable String encoding) throws Rejection {
    if (encoding == null) {
      return;
    }
    String name = encoding.strip().toLowerCase(Locale.ROOT);
    if (!name.isEmpty() && !name.equals("identity") && !isUtf8(name)) {
      throw new Rejection(
          QuarantineReason.CONTENT_ENCODING,
          "the content encoding is '%s'; expected a body that is not encoded".formatted(encoding));
    }
  }

  private static boolean isUtf8(String charset) {
    return charset.equals("utf-8") || charset.equals("utf8") || charset.equals("us-ascii");
  }

  private void checkSize(int size) throws Rejection {
    if (size == 0) {
      throw new Rejection(QuarantineReason.EMPTY_BODY, "the body is empty");
    }
    if (size > maxSize) {
      throw new Rejection(
          QuarantineReason.BODY_TOO_LARGE,
          "the body has %,d bytes; this endpoint accepts %,d".formatted(size, maxSize));
    }
  }

  private static @Nullable String messageIdIn(byte[] body, EventFormat format) throws Rejection {
    try {
      return format.messageIdIn(body);
    } catch (UnreadableEventException e) {
      throw new Rejection(QuarantineReason.UNREADABLE, String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      VirtualMachineError exhausted = Exhaustion.in(e);
      if (exhausted != null) {
        throw exhausted;
      }
      throw new Rejection(
          QuarantineReason.UNREADABLE,
          "%s could not look for the message id in the body: %s"
              .formatted(format.getClass().getName(), LoggedFailure.summary(e)));
    }
  }
}
