package io.inbox4j.examples.delays;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.PendingMessages;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.Postpone;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.transport.NotBefore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A reminder that the producer sends ahead of its time, one that the handler puts off, and one that
 * somebody does not want to wait for.
 */
public final class Delays {

  private static final String QUEUE = "example.delays";
  private static final Duration AHEAD = Duration.ofSeconds(2);
  private static final Duration FAR_AHEAD = Duration.ofDays(100);

  /** Somebody wants to be reminded of something. */
  public record ReminderSet(UUID messageId, String text) implements IntegrationEvent {}

  /** Outside the database a handler's effect can happen twice, so it is made idempotent. */
  private static final CopyOnWriteArrayList<String> reminded = new CopyOnWriteArrayList<>();

  private static final AtomicBoolean open = new AtomicBoolean();

  private Delays() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(QUEUE, ReminderSet.class, Delays::remind)
                .build();
        Producer calendar = Producer.connect(servers.amqpUri())) {
      inbox.start();
      send(calendar, "tea", Map.of(NotBefore.HEADER, Instant.now().plus(AHEAD).toString()));
      send(calendar, "lunch", Map.of());
      send(calendar, "office", Map.of());
      Eventually.holds("lunch", () -> reminded.contains("lunch"));
      System.out.println("At once:     " + reminded);
      open.set(true);
      Eventually.holds("three reminders", () -> reminded.size() == 3);
      System.out.println("In the end:  " + reminded);
      send(calendar, "holiday", Map.of(NotBefore.HEADER, Instant.now().plus(FAR_AHEAD).toString()));
      PendingMessages pending = inbox.pending().as("anna");
      MessageFilter ours = MessageFilter.all().endpoint(QUEUE);
      Eventually.holds("the holiday waits", () -> !pending.list(ours, 1).isEmpty());
      pending.expedite(ours);
      Eventually.holds("the holiday", () -> reminded.contains("holiday"));
      System.out.println("Expedited:   holiday");
    }
  }

  private static void remind(ReminderSet event, EventContext context) {
    if (event.text().equals("office") && !open.get()) {
      throw Postpone.by(Duration.ofMillis(500), "the office is closed"); // uses up no attempt
    }
    reminded.addIfAbsent(event.text());
  }

  private static void send(Producer calendar, String text, Map<String, Object> headers)
      throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(UUID.randomUUID().toString())
            .type("reminder-set")
            .headers(headers)
            .build();
    byte[] body = "{\"text\": \"%s\"}".formatted(text).getBytes(StandardCharsets.UTF_8);
    calendar.send(QUEUE, properties, body);
  }
}
