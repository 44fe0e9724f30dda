package io.inbox4j.examples.formats;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.format.JacksonFormat;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/** One event in three formats on one queue: JSON, CBOR by Jackson, and one of our own. */
public final class Formats {

  private static final String QUEUE = "example.formats";
  private static final ObjectMapper CBOR = JacksonFormat.withDefaults(CBORMapper.builder()).build();

  /** How many of an article a warehouse has. */
  @EventType("stock.stock-counted")
  public record StockCounted(UUID messageId, String article, int count)
      implements IntegrationEvent {}

  private static final Queue<String> counted = new ConcurrentLinkedQueue<>();

  private Formats() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .format(JacksonFormat.of(CBOR, "application/cbor"))
                .format(new CsvFormat())
                .subscribe(QUEUE, StockCounted.class, Formats::count)
                .build();
        Producer warehouse = Producer.connect(servers.amqpUri())) {
      inbox.start();
      send(warehouse, "application/json", utf8("{\"article\": \"lamp\", \"count\": 3}"));
      send(warehouse, "application/cbor", CBOR.writeValueAsBytes(chairs()));
      send(warehouse, "text/csv", utf8("table,2"));
      Eventually.holds("three counts", () -> counted.size() == 3);
      counted.stream().sorted().forEach(System.out::println);
    }
  }

  private static Map<String, Object> chairs() {
    return Map.of("article", "chair", "count", 12);
  }

  private static void count(StockCounted event, EventContext context) {
    counted.add("%s: %d".formatted(event.article(), event.count()));
  }

  private static void send(Producer warehouse, String contentType, byte[] body) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(UUID.randomUUID().toString())
            .type("stock.stock-counted")
            .contentType(contentType)
            .deliveryMode(2)
            .build();
    warehouse.send(QUEUE, properties, body);
    System.out.printf("sent %d bytes of %s%n", body.length, contentType);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
