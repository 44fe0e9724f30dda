package io.inbox4j.examples.traces;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.opentelemetry.InboxTracing;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The trace that a producer begins goes on in the handler. */
public final class Traces {

  private static final String QUEUE = "example.traces";

  /** An order was placed. */
  public record OrderPlaced(UUID messageId, String order) implements IntegrationEvent {}

  private static final Queue<String> handled = new ConcurrentLinkedQueue<>();

  private Traces() {}

  public static void main(String[] args) throws Exception {
    OpenTelemetry openTelemetry = // yours would export its spans
        OpenTelemetrySdk.builder()
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build();
    InboxTracing tracing = InboxTracing.on(openTelemetry);
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .middleware(tracing)
                .receiveMiddleware(tracing)
                .subscribe(QUEUE, OrderPlaced.class, (event, context) -> handled.add(traceId()))
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();
      String published = publish(shop, openTelemetry);
      Eventually.holds("it is handled", () -> !handled.isEmpty());
      System.out.println("The handler's trace is the producer's: " + handled.contains(published));
    }
  }

  private static String traceId() {
    return Span.current().getSpanContext().getTraceId();
  }

  /** Publishes within a span, as an instrumented client does by itself, and returns its trace. */
  private static String publish(Producer shop, OpenTelemetry openTelemetry) throws Exception {
    Span span =
        openTelemetry
            .getTracer("shop")
            .spanBuilder("publish")
            .setSpanKind(SpanKind.PRODUCER)
            .startSpan();
    Map<String, Object> headers = new HashMap<>();
    openTelemetry
        .getPropagators()
        .getTextMapPropagator()
        .inject(Context.current().with(span), headers, Map::put);
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(UUID.randomUUID().toString())
            .type("order-placed")
            .contentType("application/json")
            .headers(headers)
            .build();
    shop.send(QUEUE, properties, "{\"order\": \"4711\"}".getBytes(StandardCharsets.UTF_8));
    span.end();
    return span.getSpanContext().getTraceId();
  }
}
