package io.inbox4j.examples.health;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** How an inbox is, part by part, while a handler makes all others wait. */
public final class HowItIs {

  private static final String QUEUE = "example.health";

  /** A parcel is to be sent. */
  public record ParcelPacked(UUID messageId, String parcel) implements IntegrationEvent {}

  private HowItIs() {}

  public static void main(String[] args) throws Exception {
    CountDownLatch scale = new CountDownLatch(1);
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(
                    QUEUE,
                    queue ->
                        queue
                            .on(ParcelPacked.class, (event, context) -> scale.await())
                            .maxLag(Duration.ofSeconds(2)))
                .listener(new Alarm())
                .build();
        Producer warehouse = Producer.connect(servers.amqpUri())) {
      inbox.start();
      Eventually.holds("all is well", () -> inbox.health().isUp());
      System.out.println("parts: " + inbox.health().parts().size());
      warehouse.send(QUEUE, "parcel-packed", UUID.randomUUID(), "{\"parcel\": \"4711\"}");
      Eventually.holds("a lag", () -> lag(inbox) == Health.Status.DEGRADED);
      System.out.println(inbox.health());
      scale.countDown();
      Eventually.holds("no lag", () -> lag(inbox) == Health.Status.UP);
      System.out.println("the lag is " + lag(inbox));
    }
  }

  private static Health.Status lag(Inbox inbox) {
    return inbox.health().part("lag", QUEUE).orElseThrow().status();
  }

  /** Somebody's pager. */
  private static final class Alarm implements InboxListener {

    @Override
    public void healthChanged(HealthChanged event) {
      if (event.part().name().equals("lag")) {
        System.out.println("alarm: " + event.part().name() + " is " + event.part().status());
      }
    }
  }
}
