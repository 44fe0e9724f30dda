package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.format.JacksonFormat;
import io.inbox4j.operations.MessageFilter;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

class FormatTest {

  private static final String CBOR = "application/cbor";
  private static final ObjectMapper MAPPER =
      JacksonFormat.withDefaults(CBORMapper.builder()).build();

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("formats");

  @Test
  void aMessageInCborIsStoredByteForByteAndHandledOnceBesideOnesInJson() throws Exception {
    UUID id = Publisher.idOf("binary");
    byte[] body = MAPPER.writeValueAsBytes(new OrderPlaced(id, "binary", 7));
    try (Inbox inbox =
            Inboxes.on(database)
                .format(JacksonFormat.of(MAPPER, CBOR))
                .subscribe(queue, OrderPlaced.class, Effects::placed)
                .build();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      for (int i = 0; i < 2; i++) {
        publisher.send(Publisher.order(id).builder().contentType(CBOR).build(), body);
      }
      publisher.send(
          Publisher.order(Publisher.idOf("cut")).builder().contentType(CBOR).build(),
          new byte[] {body[0], body[1]});
      publisher.order("text");
      eventually(() -> assertThat(database.orders()).containsExactly("binary", "text"));
      assertThat(inbox.quarantine().list(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(it -> assertThat(it.detail()).isEqualTo("the body is not valid CBOR"));
    }
    assertThat(database.rows("SELECT body, content_type FROM inbox_messages ORDER BY seq LIMIT 1"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.get("body")).isEqualTo(body);
              assertThat(row.get("content_type")).isEqualTo(CBOR);
            });
    assertThat(database.texts("SELECT content->>'order' FROM inbox ORDER BY seq"))
        .containsExactly(null, "text");
  }
}
