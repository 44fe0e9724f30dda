package io.inbox4j.examples.middleware;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jdbi.v3.core.Handle;

/** Timing around everything, and the tenant of each message as a setting of its transaction. */
public final class Middleware {

  private static final String QUEUE = "example.middleware";

  /** A tenant asked for a report. */
  public record ReportAsked(UUID messageId, String tenant) implements IntegrationEvent {}

  private static final Queue<String> log = new ConcurrentLinkedQueue<>();

  private Middleware() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .middleware(Middleware::timed)
                .subscribe(
                    QUEUE,
                    queue -> queue.on(ReportAsked.class, Middleware::report).middleware(asTenant()))
                .build();
        Producer portal = Producer.connect(servers.amqpUri())) {
      inbox.start();
      portal.send(QUEUE, "report-asked", UUID.randomUUID(), "{\"tenant\": \"acme\"}");
      Eventually.holds("a report", () -> log.size() == 3);
      log.forEach(System.out::println);
    }
  }

  private static void timed(IntegrationEvent event, EventContext context, EventMiddleware.Next next)
      throws Exception {
    log.add("begin " + context.type());
    next.proceed();
    log.add("end " + context.type());
  }

  /** What row-level security would look at; the setting ends with the transaction. */
  private static EventMiddleware asTenant() {
    return (event, context, next) -> {
      String tenant = ((ReportAsked) event).tenant();
      context
          .unwrap(Handle.class)
          .select("SELECT set_config('example.tenant', ?, true)", tenant)
          .mapTo(String.class)
          .one();
      next.proceed();
    };
  }

  private static void report(ReportAsked event, EventContext context) {
    String tenant =
        context
            .unwrap(Handle.class)
            .select("SELECT current_setting('example.tenant')")
            .mapTo(String.class)
            .one();
    log.add("  a report for " + tenant);
  }
}
