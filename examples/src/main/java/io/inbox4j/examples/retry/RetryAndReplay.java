package io.inbox4j.examples.retry;

import io.inbox4j.Inbox;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.UUID;

/**
 * Handlers that fail: what is tried again, what is given up on, how the dead come back once the
 * cause is mended or are discarded if it cannot be, and who did that.
 */
public final class RetryAndReplay {

  private static final String QUEUE = "example.retry-and-replay";

  /** A payment to collect from a customer. */
  @EventType("payments.payment-due")
  public record PaymentDue(UUID messageId, String customer, int cents)
      implements IntegrationEvent {}

  private static final RetryPolicy POLICY =
      RetryPolicy.exponential(Duration.ofMillis(200)) // 200 ms, 400 ms, 800 ms …
          .maxAttempts(3)
          .giveUpOn(IllegalArgumentException.class); // trying again would not help

  private RetryAndReplay() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find()) {
      run(servers);
    }
  }

  private static void run(Servers servers) throws Exception {
    PaymentGateway gateway = new PaymentGateway();
    MessageFilter ours = MessageFilter.all().endpoint(QUEUE);
    try (Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(QUEUE, queue -> queue.on(PaymentDue.class, gateway).retry(POLICY))
                .listener(new Narrator())
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();
      int before = inbox.deadLetters().list(ours, 1_000).size();

      collect(shop, "alice", 1_250); // the gateway is away: retried, then dead
      collect(shop, "bob", -1); // giveUpOn: dead at once
      collect(shop, "nobody", 700); // DeadLetter: dead at once, for a reason of our own
      collect(shop, "carol", 9_900); // RetryLater: succeeds when it is asked again
      Eventually.holds(
          "three dead messages and a payment",
          () ->
              inbox.deadLetters().list(ours, 1_000).size() == before + 3
                  && gateway.paid().contains("carol"));

      System.out.println();
      System.out.println("The dead:");
      inbox
          .deadLetters()
          .list(ours, 10)
          .forEach(
              dead ->
                  System.out.printf(
                      "  after attempt %d: %s%n",
                      dead.attempts(), dead.error().lines().findFirst().orElse("")));

      System.out.println();
      System.out.println("The gateway is back, so what failed because of it is replayed.");
      gateway.comeBack();
      int replayed = inbox.deadLetters().as("bert").replay(ours.text("gateway"));
      Eventually.holds("alice has paid", () -> gateway.paid().contains("alice"));
      int discarded = inbox.deadLetters().as("anna").discard(ours.text("no such customer"));
      System.out.printf(
          "Replayed: %d; discarded: %d; still dead: %d%n",
          replayed, discarded, inbox.deadLetters().list(ours, 1_000).size() - before);

      System.out.println();
      System.out.println("Who did what, the newest first:");
      inbox
          .deadLetters()
          .history(ours, replayed + discarded)
          .forEach(
              it ->
                  System.out.printf(
                      "  %s: %s of %s after \"%s\"%n",
                      it.by(), it.action(), it.type(), it.reason().lines().findFirst().orElse("")));
    }
  }

  private static void collect(Producer shop, String customer, int cents) throws Exception {
    shop.send(
        QUEUE,
        "payments.payment-due",
        MessageIds.of("payment", UUID.randomUUID()),
        "{\"customer\": \"%s\", \"cents\": %d}".formatted(customer, cents));
  }
}
