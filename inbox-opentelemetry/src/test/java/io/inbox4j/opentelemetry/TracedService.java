package io.inbox4j.opentelemetry;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.MessageIds;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** A service with a traced inbox on a real broker and a real database, and a producer. */
final class TracedService implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(2);

  final String queue = "traced-" + UUID.randomUUID();
  final String jdbcUrl = PostgresServer.shared().newDatabase();
  final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  final OpenTelemetrySdk openTelemetry = Traces.to(exporter);
  final Inbox inbox;
  private final Connection connection;
  private final Channel channel;

  /** Not started yet. */
  TracedService(Consumer<SubscriptionBuilder> subscription, EventMiddleware... outside)
      throws Exception {
    InboxTracing tracing = InboxTracing.on(openTelemetry);
    InboxBuilder builder =
        Inbox.builder()
            .store(JdbiInboxStore.connect(jdbcUrl))
            .transport(RabbitTransport.connect(RabbitServer.shared().uri()))
            .defaults(all -> all.pollInterval(Duration.ofMillis(100)).concurrency(1))
            .subscribe(queue, subscription);
    List.of(outside).forEach(builder::middleware);
    inbox = builder.middleware(tracing).receiveMiddleware(tracing).build();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    connection = factory.newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  /** Publishes an order inside a span of its own, and returns that. */
  SpanContext publish(String order) throws Exception {
    Span span =
        openTelemetry
            .getTracer("shop")
            .spanBuilder("publish")
            .setSpanKind(SpanKind.PRODUCER)
            .startSpan();
    Context context =
        Context.root().with(span).with(Baggage.builder().put("tenant", "acme").build());
    Map<String, Object> headers = new HashMap<>();
    openTelemetry.getPropagators().getTextMapPropagator().inject(context, headers, Map::put);
    publish(order, headers);
    span.end();
    return span.getSpanContext();
  }

  void publish(String order, Map<String, Object> headers) throws Exception {
    UUID id = MessageIds.of("order", order);
    channel.basicPublish(
        "",
        queue,
        new BasicProperties.Builder()
            .messageId(id.toString())
            .contentType("application/json")
            .correlationId("conversation of " + order)
            .headers(headers)
            .deliveryMode(2)
            .build(),
        "{\"order\":\"%s\"}".formatted(order).getBytes(StandardCharsets.UTF_8));
    channel.waitForConfirmsOrDie(30_000);
  }

  /** Waits for this many ended spans whose name begins like this. */
  List<SpanData> spans(String name, int count) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                exporter.getFinishedSpanItems().stream()
                    .filter(span -> span.getName().startsWith(name))
                    .toList(),
            spans -> spans.size() >= count);
  }

  @Override
  public void close() throws Exception {
    inbox.close();
    connection.close();
    openTelemetry.close();
  }
}
