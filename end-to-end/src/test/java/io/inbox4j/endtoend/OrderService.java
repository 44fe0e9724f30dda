package io.inbox4j.endtoend;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.transport.Topology;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A service with an inbox in a process of its own.
 *
 * <p>Its arguments are {@code name=value}. It prints {@code started}, and {@code ran} and the order
 * after the SQL of every handler; it can be told to stop at an exact place, and then goes on when
 * it reads a line.
 */
final class OrderService {

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  private final Map<String, String> options;
  private final CountDownLatch goOn = new CountDownLatch(1);

  private OrderService(Map<String, String> options) {
    this.options = options;
  }

  /** A process that only receives. */
  static ChildProcess receiver(Database database, String queue, String... options) {
    return start("receive", database, Inboxes.amqp(), queue, options);
  }

  /** A process that only handles. */
  static ChildProcess worker(Database database, String queue, String... options) {
    return start("process", database, Inboxes.amqp(), queue, options);
  }

  /** A process that receives and handles, and closes its inbox when it is asked to end. */
  static ChildProcess whole(Database database, String amqp, String queue, String... options) {
    return start("both", database, amqp, queue, options);
  }

  private static ChildProcess start(
      String mode, Database database, String amqp, String queue, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.add("mode=" + mode);
    arguments.add("database=" + database.url());
    arguments.add("amqp=" + amqp);
    arguments.add("queue=" + queue);
    arguments.addAll(List.of(options));
    return ChildProcess.start(JVM_OPTIONS, OrderService.class, arguments.toArray(String[]::new));
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> options =
        Stream.of(args)
            .map(arg -> arg.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    new OrderService(options).run();
  }

  private void run() throws Exception {
    Inbox inbox =
        Inbox.builder()
            .store(
                JdbiInboxStore.builder(options.get("database"))
                    .idleTimeout(Duration.parse(options.getOrDefault("idle", "PT1M")))
                    .build())
            .transport(RabbitTransport.connect(options.get("amqp")))
            .listener(new Reporter())
            .closeDeadline(Duration.parse(options.getOrDefault("deadline", "PT30S")))
            .subscribe(options.get("queue"), this::subscribe)
            .build();
    switch (options.get("mode")) {
      case "receive" -> inbox.startReceiving();
      case "process" -> inbox.startProcessing();
      default -> {
        Runtime.getRuntime().addShutdownHook(new Thread(inbox::close));
        inbox.start();
      }
    }
    print("started");
    BufferedReader stdin =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (stdin.readLine() != null) {
      goOn.countDown();
    }
  }

  private void subscribe(SubscriptionBuilder subscription) {
    String events = options.getOrDefault("events", "placed");
    if (events.contains("placed")) {
      subscription.on(OrderPlaced.class, this::placed);
    }
    if (events.contains("cancelled")) {
      subscription.on(OrderCancelled.class, this::cancelled);
    }
    switch (options.getOrDefault("handling", "transactional")) {
      case "leased" ->
          subscription
              .leased(Duration.parse(options.getOrDefault("lease", "PT1S")))
              .concurrency(10);
      case "inline" -> subscription.inline();
      default -> subscription.concurrency(1);
    }
    if (options.containsKey("deliveryLimit")) {
      int limit = Integer.parseInt(options.get("deliveryLimit"));
      subscription.topology(Topology.quorum().deliveryLimit(limit));
    }
    subscription
        .pollInterval(Duration.parse(options.getOrDefault("poll", "PT0.2S")))
        .retry(RetryPolicy.immediate(Integer.parseInt(options.getOrDefault("attempts", "3"))));
  }

  private void placed(OrderPlaced event, EventContext context) throws Exception {
    Effects.placed(event, context);
    print("ran " + event.order());
    if (event.order().equals(options.get("haltAt"))) {
      Runtime.getRuntime().halt(1);
    }
    if (event.order().equals(options.get("stopAt"))) {
      print("stopped at " + event.order());
      awaitGoOn();
      print("goes on");
    }
  }

  /** A leased handler is stubborn and ignores that it is interrupted when it has lost its lease. */
  private void awaitGoOn() throws InterruptedException {
    while (true) {
      try {
        goOn.await();
        return;
      } catch (InterruptedException e) {
        if (!"leased".equals(options.get("handling"))) {
          throw e;
        }
      }
    }
  }

  private void cancelled(OrderCancelled event, EventContext context) {
    Effects.cancelled(event, context);
    print("ran " + event.order());
  }

  private static void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Tells what happened; can stop after the commit of a batch, before it is acknowledged. */
  private final class Reporter implements InboxListener {

    @Override
    public void received(Received event) {
      if (options.containsKey("stopBeforeAck")) {
        print("stored " + event.message().messageId());
        block();
      }
    }

    private void block() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void processed(Processed event) {
      print("processed " + event.message().messageId());
    }

    @Override
    public void interrupted(Interrupted event) {
      print("interrupted");
    }
  }
}
