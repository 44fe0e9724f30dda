package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.inbox4j.Inbox;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Headers that look odd are no reason to refuse a message. */
class OddHeadersTest {

  private static final int DEEPEST = 30;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("odd-headers");
  private final Map<String, Object> seen = new ConcurrentHashMap<>();

  @Test
  void areStoredAndGivenToTheHandler() throws Exception {
    Map<String, Object> headers = new HashMap<>();
    headers.put("table", Map.of("inner", Map.of("innermost", List.of(1, "two", Map.of()))));
    headers.put("bytes", new byte[] {0, -1, 65});
    headers.put("date", Date.from(Instant.parse("2026-02-03T04:05:06Z")));
    headers.put("decimal", new BigDecimal("12.50"));
    headers.put("float", 1.5f);
    headers.put("zero", "a\0b");
    headers.put(
        "half a character", LongStringHelper.asLongString(new byte[] {'a', -19, -96, -128}));
    headers.put("not utf-8", LongStringHelper.asLongString(new byte[] {-1, -2}));
    headers.put("other script", "Grüße, 世界 🎉");
    headers.put("", "no name");
    headers.put("nothing", null);
    headers.put("deep", nested(DEEPEST));
    try (Inbox inbox = inbox();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.start();
      UUID id = Publisher.idOf("odd");
      BasicProperties properties =
          Publisher.order(id)
              .builder()
              .headers(headers)
              .correlationId("c\0d")
              .appId("shop\uFFFD")
              .build();
      publisher.send(properties, Publisher.body(id, "odd", 1));
      publisher.order("next");
      eventually(() -> assertThat(database.orders()).containsExactly("next", "odd"));
    }
    assertThat(seen)
        .containsEntry("table", Map.of("inner", Map.of("innermost", List.of(1, "two", Map.of()))))
        .containsEntry("bytes", "AP9B")
        .containsEntry("date", "2026-02-03T04:05:06Z")
        .containsEntry("decimal", new BigDecimal("12.50"))
        .containsEntry("zero", "a\0b")
        .containsEntry("other script", "Grüße, 世界 🎉")
        .containsEntry("", "no name")
        .containsKeys("float", "half a character", "not utf-8", "deep");
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
  }

  private static Object nested(int depth) {
    return depth == 0 ? "bottom" : Map.of("level", nested(depth - 1));
  }

  private Inbox inbox() {
    return Inboxes.on(database)
        .subscribe(
            queue,
            OrderPlaced.class,
            (event, context) -> {
              context
                  .headers()
                  .forEach(
                      (name, value) -> {
                        if (value != null) {
                          seen.put(name, value);
                        }
                      });
              Effects.placed(event, context);
            })
        .build();
  }
}
