package io.inbox4j.jdbi;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.KnownType;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A format as somebody would write it: a line for each field, {@code walk=a}. */
final class PairsFormat implements EventFormat {

  static final String CONTENT_TYPE = "text/x-pairs";

  @Override
  public Set<String> contentTypes() {
    return Set.of(CONTENT_TYPE);
  }

  @Override
  public @Nullable String messageIdIn(byte[] body) {
    return pairs(body).get("id");
  }

  @Override
  public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
    Map<String, String> pairs = pairs(body);
    return type.event()
        .cast(new Step(messageId, pairs.get("walk"), Integer.parseInt(pairs.get("n"))));
  }

  private static Map<String, String> pairs(byte[] body) {
    return new String(body, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}
