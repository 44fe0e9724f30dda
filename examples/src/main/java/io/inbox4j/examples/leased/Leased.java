package io.inbox4j.examples.leased;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Cards are charged by a slow service: a hundred at once, on a handful of connections. */
public final class Leased {

  private static final String QUEUE = "example.leased";
  private static final int CHARGES = 100;
  private static final int CONNECTIONS = 5;

  /** A card is to be charged. */
  public record ChargeAsked(UUID messageId, String card) implements IntegrationEvent {}

  private static final AtomicInteger atOnce = new AtomicInteger();
  private static final AtomicInteger mostAtOnce = new AtomicInteger();

  private Leased() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.builder(servers.jdbcUrl()).poolSize(CONNECTIONS).build())
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(
                    QUEUE,
                    queue ->
                        queue
                            .on(ChargeAsked.class, Leased::charge)
                            .leased(Duration.ofSeconds(10))
                            .handlerTimeout(Duration.ofMillis(1_000))
                            .concurrency(CHARGES)
                            .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(2)))
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      Jdbi database = Jdbi.create(servers.jdbcUrl());
      database.useHandle(h -> h.execute("CREATE TABLE IF NOT EXISTS receipts (card text)"));
      inbox.start();
      for (int i = 0; i < CHARGES; i++) {
        shop.send(QUEUE, "charge-asked", UUID.randomUUID(), "{\"card\": \"card %d\"}".formatted(i));
      }
      Eventually.holds("all receipts", () -> receipts(database) == CHARGES);
      System.out.println("Receipts:             " + receipts(database));
      System.out.println(
          "Handlers at once:     "
              + (mostAtOnce.get() > CONNECTIONS ? "more" : "no more")
              + " than the "
              + CONNECTIONS
              + " connections");
    }
  }

  /** Takes a while, and hangs for one card at the first attempt, which is interrupted. */
  private static void charge(ChargeAsked event, EventContext context) throws Exception {
    mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
    try {
      boolean hangs = event.card().equals("card 7") && context.attempt() == 1;
      Thread.sleep(hangs ? 60_000 : 300);
    } finally {
      atOnce.decrementAndGet();
    }
    context.commitWith(
        transaction ->
            transaction
                .unwrap(Handle.class)
                .execute("INSERT INTO receipts VALUES (?)", event.card()));
  }

  private static long receipts(Jdbi database) {
    return database.withHandle(
        h -> h.select("SELECT count(*) FROM receipts").mapTo(Long.class).one());
  }
}
