package io.inbox4j.reliability.chaos;

import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.JdbiInboxStoreBuilder;
import io.inbox4j.operations.Retention;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreUnavailableException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A process that only receives, or only handles, until it is told to end or killed. */
final class WalkService {

  static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int NARROW = 2;
  private static final int HEARTBEAT_SECONDS = 2;

  private WalkService() {}

  public static void main(String[] args) throws Exception {
    List<String> options = List.of(args).subList(3, args.length);
    JdbiInboxStoreBuilder store = store(args[1]);
    if (options.contains("narrow")) {
      store.poolSize(NARROW);
    }
    run(
        options.contains("neighbour")
            ? neighbour(store.build(), args[2])
            : inbox(store.build(), args[2], options.contains("old")),
        args[0].equals(Walker.Role.RECEIVE.name()));
  }

  /** Runs until whoever started it is gone, or it is asked to end. */
  static void run(Inbox inbox, boolean receive) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> inbox.close(DEADLINE)));
    startWhenItCan(inbox, receive);
    say("started");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      switch (line) {
        case "REPORT" -> say(Walker.Needs.line());
        case "TIDY" -> say("tidied " + inbox.retention().run().ran());
        case "COUNT" ->
            say("counted " + Arrays.stream(Mischief.values()).mapToInt(Mischief::times).sum());
        default -> Mischief.next(Mischief.valueOf(line));
      }
    }
    System.exit(0);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  static JdbiInboxStoreBuilder store(String jdbcUrl) {
    return JdbiInboxStore.builder(jdbcUrl).idleTimeout(Duration.ofSeconds(2));
  }

  static Inbox inbox(InboxStore store, String amqpUri, boolean old) throws Exception {
    InboxBuilder builder = builder(store, amqpUri).listener(new Grumbler());
    for (Walks walks : Walks.values()) {
      builder.subscribe(walks.queue(), subscription -> walks.subscribe(subscription, old));
    }
    return builder.build();
  }

  /** A service with messages of its own, which it keeps for as short as it may. */
  private static Inbox neighbour(InboxStore store, String amqpUri) throws Exception {
    return builder(store, amqpUri)
        .retention(Retention.of(Duration.ofHours(1)))
        .subscribe("neighbours", StepTaken.class, (event, context) -> {})
        .build();
  }

  private static InboxBuilder builder(InboxStore store, String amqpUri) throws Exception {
    ConnectionFactory broker = new ConnectionFactory();
    broker.setUri(amqpUri);
    broker.setRequestedHeartbeat(HEARTBEAT_SECONDS);
    return Inbox.builder().store(store).transport(RabbitTransport.connect(broker));
  }

  /** A database that is away at the start is waited for, as a service manager would. */
  private static void startWhenItCan(Inbox inbox, boolean receive) throws InterruptedException {
    while (true) {
      try {
        if (receive) {
          inbox.startReceiving();
        } else {
          inbox.startProcessing();
        }
        return;
      } catch (StoreUnavailableException e) {
        Thread.sleep(500);
      }
    }
  }
}
