package io.inbox4j.reliability.chaos;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.List;

/** A process that only receives, or only handles, until it is told to end or killed. */
final class WalkService {

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private WalkService() {}

  static ChildProcess receiver(String jdbcUrl, String amqpUri) {
    return ChildProcess.start(JVM_OPTIONS, WalkService.class, "receive", jdbcUrl, amqpUri);
  }

  static ChildProcess worker(String jdbcUrl, String amqpUri) {
    return ChildProcess.start(JVM_OPTIONS, WalkService.class, "process", jdbcUrl, amqpUri);
  }

  public static void main(String[] args) throws Exception {
    run(inbox(store(args[1]), args[2]), args[0].equals("receive"));
  }

  /** Runs until whoever started it is gone, or it is asked to end. */
  static void run(Inbox inbox, boolean receive) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> inbox.close(DEADLINE)));
    startWhenItCan(inbox, receive);
    System.out.println("started");
    System.out.flush();
    while (System.in.read() >= 0) {
      // until whoever started it is gone
    }
    System.exit(0);
  }

  static InboxStore store(String jdbcUrl) {
    return JdbiInboxStore.builder(jdbcUrl).idleTimeout(Duration.ofSeconds(2)).build();
  }

  static Inbox inbox(InboxStore store, String amqpUri) {
    InboxBuilder builder = Inbox.builder().store(store).transport(RabbitTransport.connect(amqpUri));
    for (Walks walks : Walks.values()) {
      builder.subscribe(walks.queue(), walks::subscribe);
    }
    return builder.build();
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
