package io.inbox4j.examples.formats;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.examples.formats.Formats.StockCounted;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.KnownType;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;

/** A format of our own: a line with the article and how many there are. */
final class CsvFormat implements EventFormat {

  @Override
  public Set<String> contentTypes() {
    return Set.of("text/csv");
  }

  @Override
  public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
    String[] fields = new String(body, StandardCharsets.UTF_8).strip().split(",", -1);
    if (fields.length != 2) {
      throw new UnreadableEventException(
          "the line has %d fields; expected 2".formatted(fields.length));
    }
    return type.event().cast(new StockCounted(messageId, fields[0], Integer.parseInt(fields[1])));
  }
}
