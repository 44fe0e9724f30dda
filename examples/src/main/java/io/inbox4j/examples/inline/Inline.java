package io.inbox4j.examples.inline;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Handled in the transaction that stores the message; what fails is left to the processor. */
public final class Inline {

  private static final String QUEUE = "example.inline";

  /** A price has changed. */
  public record PriceChanged(UUID messageId, String article, int cents)
      implements IntegrationEvent {}

  private static final AtomicBoolean catalogueIsLocked = new AtomicBoolean(true);

  private Inline() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(QUEUE, queue -> queue.on(PriceChanged.class, Inline::change).inline())
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      Jdbi database = Jdbi.create(servers.jdbcUrl());
      database.useHandle(
          h -> h.execute("CREATE TABLE IF NOT EXISTS prices (article text, cents int)"));
      inbox.startReceiving();
      shop.send(QUEUE, "price-changed", UUID.randomUUID(), price("lamp", 900));
      shop.send(QUEUE, "price-changed", UUID.randomUUID(), price("desk", 9_900));
      Eventually.holds("both are stored", () -> count(database, "inbox") == 2);
      System.out.println("Without a worker:  " + count(database, "prices") + " price");
      catalogueIsLocked.set(false);
      inbox.startProcessing();
      Eventually.holds("both prices", () -> count(database, "prices") == 2);
      System.out.println("With a worker:     " + count(database, "prices") + " prices");
    }
  }

  private static void change(PriceChanged event, EventContext context) {
    context
        .unwrap(Handle.class)
        .execute("INSERT INTO prices VALUES (?, ?)", event.article(), event.cents());
    if (event.article().equals("desk") && catalogueIsLocked.get()) {
      throw new IllegalStateException("the catalogue of furniture is locked");
    }
  }

  private static String price(String article, int cents) {
    return "{\"article\": \"%s\", \"cents\": %d}".formatted(article, cents);
  }

  private static long count(Jdbi database, String table) {
    String query =
        table.equals("inbox")
            ? "SELECT count(*) FROM inbox WHERE endpoint = '" + QUEUE + "'"
            : "SELECT count(*) FROM " + table;
    return database.withHandle(h -> h.select(query).mapTo(Long.class).one());
  }
}
