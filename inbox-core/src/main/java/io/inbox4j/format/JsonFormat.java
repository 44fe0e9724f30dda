package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON format, which also reads every message without a content type. */
public final class JsonFormat implements EventFormat {

  /** The maximum nesting depth. */
  public static final int MAX_DEPTH = 100;

  /** The maximum length of a number, in characters. */
  public static final int MAX_NUMBER_LENGTH = 100;

  /** The maximum number of digits in the exponent of a number. */
  public static final int MAX_EXPONENT_DIGITS = 3;

  private final JacksonFormat jackson;

  public JsonFormat(JsonMapper mapper) {
    this.jackson = JacksonFormat.of(mapper, "application/json", "text/json");
  }

  /**
   * The mapper that is used unless the builder is given another one, with the {@linkplain
   * JacksonFormat#withDefaults default settings} and limits on nesting depth and the length of
   * numbers.
   */
  public static JsonMapper defaultMapper() {
    return JacksonFormat.withDefaults(JsonMapper.builder(factory())).build();
  }

  /** A factory of parsers with the limits that apply to every body. */
  public static JsonFactory factory() {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .maxStringLength(Integer.MAX_VALUE)
                .build())
        .build();
  }

  /** The default mapper, except that unknown fields are an error. */
  public static JsonMapper strictMapper() {
    return defaultMapper()
        .rebuild()
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  @Override
  public Set<String> contentTypes() {
    return jackson.contentTypes();
  }

  @Override
  public @Nullable String messageIdIn(byte[] body) {
    return jackson.messageIdIn(body);
  }

  @Override
  public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
    return jackson.read(body, type, messageId);
  }

  /**
   * Writes an event.
   *
   * @param messageId the id that it gets if it has none
   * @throws IllegalArgumentException if it cannot be written
   */
  public byte[] write(IntegrationEvent event, UUID messageId) {
    byte[] body = jackson.write(event, messageId);
    if (body.length == 0 || body[0] != '{') {
      throw new IllegalArgumentException(
          "%s is no object in JSON; expected one, such as a record"
              .formatted(event.getClass().getName()));
    }
    return body;
  }
}
