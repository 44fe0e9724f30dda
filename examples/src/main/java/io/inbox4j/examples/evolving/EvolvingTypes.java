package io.inbox4j.examples.evolving;

import io.inbox4j.Inbox;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import tools.jackson.databind.node.ObjectNode;

/** Old producers and new ones on one queue: another name, another shape, one handler for all. */
public final class EvolvingTypes {

  private static final String QUEUE = "example.evolving-types";

  /** What happens to an account; a sealed family has one handler. */
  public sealed interface AccountEvent extends IntegrationEvent {
    long cents();
  }

  /** It was called something else before. */
  @EventType(value = "accounts.paid-in", aliases = "accounts.deposited")
  public record PaidIn(UUID messageId, long cents) implements AccountEvent {}

  /** Its first version counted in euros. */
  @EventType("accounts.paid-out")
  public record PaidOut(UUID messageId, long cents) implements AccountEvent {}

  private static final Queue<String> booked = new ConcurrentLinkedQueue<>();

  private EvolvingTypes() {}

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
                            .on(AccountEvent.class, EvolvingTypes::book)
                            .upcast("accounts.paid-out.v1", PaidOut.class, EvolvingTypes::inCents))
                .build();
        Producer bank = Producer.connect(servers.amqpUri())) {
      inbox.start();
      bank.send(QUEUE, "accounts.paid-in", UUID.randomUUID(), "{\"cents\": 500, \"new\": true}");
      bank.send(QUEUE, "accounts.deposited", UUID.randomUUID(), "{\"cents\": 700}");
      bank.send(QUEUE, "accounts.paid-out.v1", UUID.randomUUID(), "{\"euros\": 3}");
      Eventually.holds("three bookings", () -> booked.size() == 3);
      booked.stream().sorted().forEach(System.out::println);
    }
  }

  private static void book(AccountEvent event, EventContext context) {
    booked.add(
        "%s of %d cents, sent as %s"
            .formatted(event.getClass().getSimpleName(), event.cents(), context.type()));
  }

  private static ObjectNode inCents(ObjectNode old) {
    return old.put("cents", old.remove("euros").asLong() * 100);
  }
}
