package io.inbox4j.internal.receive;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts headers to their stored form: JSON in ASCII, so that no database can reject a character.
 */
public final class HeaderJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final ObjectWriter SORTING =
      MAPPER.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private HeaderJson() {}

  /** The JSON of the headers, or null if there are none. */
  public static @Nullable String write(Map<String, @Nullable Object> headers) {
    return headers.isEmpty() ? null : MAPPER.writeValueAsString(headers);
  }

  /** The JSON of the headers sorted by name, which is the same in whatever order they arrived. */
  public static @Nullable String writeSorted(Map<String, @Nullable Object> headers) {
    return headers.isEmpty() ? null : SORTING.writeValueAsString(headers);
  }

  /** The headers in the JSON; empty for null. */
  public static Map<String, @Nullable Object> read(@Nullable String json) {
    return json == null ? Map.of() : MAPPER.readValue(json, new TypeReference<>() {});
  }
}
