package io.inbox4j.examples.batches;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Readings of meters: one statement for all that has arrived, and single bad ones left out. */
public final class Batches {

  private static final String QUEUE = "example.batches";
  private static final int READINGS = 200;

  /** A meter was read. */
  public record MeterRead(UUID messageId, String meter, double value) implements IntegrationEvent {}

  private Batches() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(QUEUE, queue -> queue.onBatch(MeterRead.class, Batches::store))
                .build();
        Producer meters = Producer.connect(servers.amqpUri())) {
      Jdbi database = Jdbi.create(servers.jdbcUrl());
      database.useHandle(
          h ->
              h.execute(
                  "CREATE TABLE IF NOT EXISTS readings (meter text, value float8, statement bigint)"));
      inbox.startReceiving();
      for (int i = 0; i < READINGS; i++) {
        int value = i == 77 ? -1 : i;
        meters.send(
            QUEUE,
            "meter-read",
            UUID.randomUUID(),
            "{\"meter\": \"m%d\", \"value\": %d}".formatted(i, value));
      }
      inbox.startProcessing();
      Eventually.holds("all but one", () -> count(database, "*") == READINGS - 1);
      Eventually.holds("one is dead", () -> dead(inbox).size() == 1);
      System.out.println("Readings stored:   " + count(database, "*"));
      boolean fewer = count(database, "DISTINCT statement") < READINGS / 2;
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

  private static List<String> dead(Inbox inbox) {
    return inbox.deadLetters().list(MessageFilter.all().endpoint(QUEUE), 10).stream()
        .map(message -> message.error().lines().findFirst().orElse(""))
        .toList();
  }

  private static long count(Jdbi database, String what) {
    return database.withHandle(
        h -> h.select("SELECT count(" + what + ") FROM readings").mapTo(Long.class).one());
  }
}
