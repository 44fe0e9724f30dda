package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON: the format of every message that does not name another content type. */
public final class JsonFormat implements EventFormat {

  /** How deep JSON may be nested. */
  public static final int MAX_DEPTH = 100;

  /** How many characters a number may have. */
  public static final int MAX_NUMBER_LENGTH = 100;

  /** How many digits the exponent of a number may have. */
  public static final int MAX_EXPONENT_DIGITS = 3;

  private final JacksonFormat jackson;

  public JsonFormat(JsonMapper mapper) {
    this.jackson = JacksonFormat.of(mapper, "application/json", "text/json");
  }

  /**
   * The mapper that is used unless the builder gets another one: it has the {@linkplain
   * JacksonFormat#withDefaults default settings}, and limits on depth and on the length of numbers.
   */
  public static JsonMapper defaultMapper() {
    return JacksonFormat.withDefaults(JsonMapper.builder(factory())).build();
  }

  /** The factory of parsers with the limits that apply to every body. */
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

  /** The same, but a field that the class does not have is an error. */
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
}
