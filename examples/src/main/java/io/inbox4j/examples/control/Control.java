package io.inbox4j.examples.control;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionControl;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Pause;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Pauses a subscription, changes its concurrency, and lets it rest while a printer is broken. */
public final class Control {

  private static final String QUEUE = "example.control";

  /** A label is to be printed. */
  public record LabelAsked(UUID messageId) implements IntegrationEvent {}

  private static final AtomicBoolean printerWorks = new AtomicBoolean(true);
  private static final AtomicInteger printed = new AtomicInteger();

  private Control() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .maxConcurrency(8)
                .listener(new Says())
                .subscribe(
                    QUEUE,
                    queue ->
                        queue
                            .on(LabelAsked.class, Control::print)
                            .concurrency(LabelAsked.class, 2)
                            .retry(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(1_000))
                            .circuitBreaker(
                                CircuitBreaker.ofDefaults()
                                    .minMessages(5)
                                    .pause(Duration.ofMillis(500))))
                .build();
        Producer warehouse = Producer.connect(servers.amqpUri())) {
      inbox.start();
      SubscriptionControl control = inbox.control(QUEUE);

      control.pause("anna", "no paper");
      send(warehouse, 3);
      Pause pause = control.currentPause();
      if (pause != null) {
        System.out.printf(
            "paused by %s: %s; printed %d%n", pause.by(), pause.reason(), printed.get());
      }
      control.resume();
      Eventually.holds("three labels", () -> printed.get() == 3);
      System.out.println("resumed; printed 3");

      control.concurrency(1);
      System.out.println("workers now: " + control.concurrency());

      printerWorks.set(false);
      send(warehouse, 10);
      Eventually.holds("it rests", () -> control.circuit() != CircuitState.CLOSED);
      printerWorks.set(true);
      Eventually.holds("all labels", () -> printed.get() == 13);
      System.out.println("printed 13");
    }
  }

  private static void print(LabelAsked event, EventContext context) {
    if (!printerWorks.get()) {
      throw new IllegalStateException("the printer is broken");
    }
    printed.incrementAndGet();
  }

  private static void send(Producer warehouse, int labels) throws Exception {
    for (int i = 0; i < labels; i++) {
      warehouse.send(QUEUE, "label-asked", UUID.randomUUID(), "{}");
    }
  }

  /** What an operator would want to hear of. */
  private static final class Says implements InboxListener {

    @Override
    public void circuitOpened(CircuitOpened event) {
      System.out.println("it rests: most labels fail");
    }

    @Override
    public void circuitClosed(CircuitClosed event) {
      System.out.println("it goes on");
    }
  }
}
