package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.internal.log.LoggedFailure;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads events with the format that matches their content type. */
public final class EventReader {

  private final JsonFormat json;
  private final Map<String, EventFormat> formats = new TreeMap<>();

  /**
   * @param json the format that also reads bodies without a content type
   * @throws IllegalArgumentException if a content type has two formats, or a format has none
   */
  public EventReader(JsonFormat json, List<EventFormat> others) {
    this.json = json;
    add(json);
    others.forEach(this::add);
  }

  private void add(EventFormat format) {
    Set<String> contentTypes = format.contentTypes();
    if (contentTypes.isEmpty()) {
      throw new IllegalArgumentException(
          "%s reads no content type; expected at least one, such as application/cbor"
              .formatted(format.getClass().getName()));
    }
    for (String contentType : contentTypes) {
      if (contentType.isBlank() || !contentType.equals(mime(contentType))) {
        throw new IllegalArgumentException(
            "'%s' of %s is no content type; expected lower case without parameters, such as application/cbor"
                .formatted(contentType, format.getClass().getName()));
      }
      EventFormat other = formats.putIfAbsent(contentType, format);
      if (other != null) {
        throw new IllegalArgumentException(
            "'%s' is read by %s and by %s; expected one format for each content type"
                .formatted(contentType, other.getClass().getName(), format.getClass().getName()));
      }
    }
  }

  /**
   * The format for this content type; JSON if there is no content type, null if no format reads it.
   */
  public @Nullable EventFormat formatOf(@Nullable String contentType) {
    if (contentType == null) {
      return json;
    }
    EventFormat exact = formats.get(contentType);
    return exact != null ? exact : formats.get(mime(contentType));
  }

  /** The supported content types, for display: {@code application/json, text/json}. */
  public String contentTypes() {
    return String.join(", ", formats.keySet());
  }

  /**
   * Reads the event in a body of this content type.
   *
   * @throws UnreadableEventException if no format reads the content type, or the body does not fit
   *     the class; its message reveals nothing of the body
   */
  public <T extends IntegrationEvent> T read(
      @Nullable String contentType, byte[] body, KnownType<T> type, UUID messageId) {
    EventFormat format = formatOf(contentType);
    if (format == null) {
      throw new UnreadableEventException(
          "the content type is '%s'; this inbox reads: %s".formatted(contentType, contentTypes()));
    }
    try {
      T event = format.read(body, type, messageId);
      return Objects.requireNonNull(event, "the format returned null");
    } catch (UnreadableEventException | LinkageError | OutOfMemoryError e) {
      throw e; // these errors are not caused by the body and may not recur
    } catch (Throwable e) {
      throw new UnreadableEventException(
          "the body does not fit %s: %s failed with %s"
              .formatted(
                  type.event().getName(), format.getClass().getName(), LoggedFailure.summary(e)),
          e);
    }
  }

  private static String mime(String contentType) {
    int end = contentType.indexOf(';');
    String mime = end < 0 ? contentType : contentType.substring(0, end);
    return mime.strip().toLowerCase(Locale.ROOT);
  }
}
