package io.inbox4j.examples.ordered;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** Steps of one parcel are handled in order by four workers, while another parcel overtakes it. */
public final class Ordered {

  private static final String QUEUE = "example.ordered";
  private static final String TYPE = "parcel-moved";

  /** Where a parcel is now; events about one parcel must be handled in the order they came. */
  public record ParcelMoved(UUID messageId, String parcel, String place)
      implements IntegrationEvent {

    @Override
    public String orderingKey() {
      return parcel;
    }
  }

  /** Outside the database a handler's effect can happen twice, so it is made idempotent. */
  private static final CopyOnWriteArrayList<String> track = new CopyOnWriteArrayList<>();

  private Ordered() {}

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
                            .on(ParcelMoved.class, Ordered::moved)
                            .ordered()
                            .concurrency(4)
                            .retry(RetryPolicy.fixed(Duration.ofMillis(200))))
                .build();
        Producer carrier = Producer.connect(servers.amqpUri())) {
      inbox.start();
      String run = UUID.randomUUID().toString();
      for (String place : List.of("packed", "shipped", "delivered")) {
        carrier.send(QUEUE, TYPE, MessageIds.of(run, "red", place), body("red", place));
        carrier.send(QUEUE, TYPE, MessageIds.of(run, "blue", place), body("blue", place));
      }
      Eventually.holds("six steps", () -> track.size() == 6);
      System.out.println("The blue parcel's first scan failed once, so the red one overtook it:");
      track.forEach(step -> System.out.println("  " + step));
    }
  }

  private static void moved(ParcelMoved event, EventContext context) {
    if (event.parcel().equals("blue") && context.attempt() == 1 && event.place().equals("packed")) {
      throw new IllegalStateException("the scanner was dirty");
    }
    track.addIfAbsent(event.parcel() + " " + event.place());
  }

  private static String body(String parcel, String place) {
    return "{\"parcel\": \"%s\", \"place\": \"%s\"}".formatted(parcel, place);
  }
}
