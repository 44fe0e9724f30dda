package io.inbox4j.examples.batches;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Readings of meters: one statement for all that has arrived, and single bad ones left out. Meters
 * that were replaced: a statement each, sent together.
 */
public final class Batches {

  private static final String QUEUE = "example.batches";
  private static final int READINGS = 200;
  private static final int REPLACED = 100;

  /** A meter was read. */
  public record MeterRead(UUID messageId, String meter, double value) implements IntegrationEvent {}

  /** A meter was replaced. */
  public record MeterReplaced(UUID messageId, String meter, String by)
      implements IntegrationEvent {}

  private Batches() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(
                    QUEUE,
                    queue ->
                        queue
                            .onBatch(MeterRead.class, Batches::store)
                            .on(MeterReplaced.class, Batches::replace))
                .build();
        Producer meters = Producer.connect(servers.amqpUri())) {
      Jdbi database = Jdbi.create(servers.jdbcUrl());
      database.useHandle(
          h ->
              h.execute(
                  "CREATE TABLE IF NOT EXISTS readings (meter text, value float8, statement bigint);"
                      + " CREATE TABLE IF NOT EXISTS replaced (meter text, by text)"));
      inbox.startReceiving();
      for (int i = 0; i < READINGS; i++) {
        int value = i == 77 ? -1 : i;
        meters.send(
            QUEUE,
            "meter-read",
            UUID.randomUUID(),
            "{\"meter\": \"m%d\", \"value\": %d}".formatted(i, value));
      }
      for (int i = 0; i < REPLACED; i++) {
        meters.send(
            QUEUE,
            "meter-replaced",
            UUID.randomUUID(),
            "{\"meter\": \"m%d\", \"by\": \"n%d\"}".formatted(i, i));
      }
      inbox.startProcessing();
      Eventually.holds("all but one", () -> count(database, "*", "readings") == READINGS - 1);
      Eventually.holds("all replaced", () -> count(database, "*", "replaced") == REPLACED);
      Eventually.holds("one is dead", () -> dead(inbox).size() == 1);
      System.out.println("Readings stored:   " + count(database, "*", "readings"));
      System.out.println("Meters replaced:   " + count(database, "*", "replaced"));
      boolean fewer = count(database, "DISTINCT statement", "readings") < READINGS / 2;
      System.out.println("Statements:        " + (fewer ? "far fewer" : "as many"));
      System.out.println("Left out:          " + dead(inbox).get(0));
    }
  }

  /** One statement for the batch; a reading that cannot be is failed by itself. */
  private static void store(List<MeterRead> readings, BatchContext<MeterRead> context) {
    for (MeterRead reading : readings) {
      if (reading.value() < 0) {
        context.fail(reading, DeadLetter.because(reading.meter() + " was read backwards"));
      }
    }
    context
        .unwrap(Handle.class)
        .createUpdate(
            "INSERT INTO readings SELECT *, :statement FROM unnest(:meters, :values::float8[])")
        .bind("statement", System.nanoTime())
        .bind("meters", readings.stream().map(MeterRead::meter).toArray(String[]::new))
        .bind("values", readings.stream().map(MeterRead::value).toArray(Double[]::new))
        .execute();
  }

  /** Hands its statement over: it is sent together with those of other messages. */
  private static void replace(MeterReplaced event, EventContext context) {
    context.write("INSERT INTO replaced VALUES (?, ?)", event.meter(), event.by());
  }

  private static List<String> dead(Inbox inbox) {
    return inbox.deadLetters().list(MessageFilter.all().endpoint(QUEUE), 10).stream()
        .map(message -> message.error().lines().findFirst().orElse(""))
        .toList();
  }

  private static long count(Jdbi database, String what, String table) {
    return database.withHandle(
        h -> h.select("SELECT count(" + what + ") FROM " + table).mapTo(Long.class).one());
  }
}
