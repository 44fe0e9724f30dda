package io.inbox4j.opentelemetry;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ReceiveMiddleware;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A middleware that propagates traces through an inbox, following the OpenTelemetry semantic
 * conventions for messaging.
 *
 * <pre>{@code
 * InboxTracing tracing = InboxTracing.on(openTelemetry);
 * Inbox.builder().middleware(tracing).receiveMiddleware(tracing)
 * }</pre>
 *
 * <p>The context that the producer put into the headers is stored with the message. It is restored
 * around the handler, whenever and in whichever process that runs: the span {@code process} is a
 * child of the producer's. Each run of a handler is a span, with the number of the attempt. A batch
 * handler has one span, which is linked to the producers'; so has the storing of deliveries, {@code
 * receive}.
 *
 * <p>Contexts are read with the propagators of the given OpenTelemetry. A header that is not a
 * valid context is ignored. Of a failure only the class is recorded, because its message may
 * contain parts of the payload.
 */
public final class InboxTracing implements EventMiddleware, ReceiveMiddleware {

  private static final String SCOPE = "io.inbox4j.opentelemetry";

  private final Tracer tracer;
  private final HeaderContext headers;

  private InboxTracing(OpenTelemetry openTelemetry) {
    this.tracer = openTelemetry.getTracer(SCOPE);
    this.headers = new HeaderContext(openTelemetry.getPropagators().getTextMapPropagator());
  }

  /** Creates a middleware that traces with this OpenTelemetry. */
  public static InboxTracing on(OpenTelemetry openTelemetry) {
    return new InboxTracing(openTelemetry);
  }

  @Override
  public void handle(IntegrationEvent event, EventContext message, Next next) throws Exception {
    Context producer = headers.read(message.headers());
    SpanBuilder builder =
        span(Messaging.PROCESS, message.endpoint(), SpanKind.CONSUMER)
            .setParent(producer)
            .setAllAttributes(Messaging.of(message));
    TracedCall.run(builder, producer, next);
  }

  @Override
  public void handleBatch(List<? extends IntegrationEvent> events, BatchContext<?> batch, Next next)
      throws Exception {
    SpanBuilder builder =
        span(Messaging.PROCESS, batch.endpoint(), SpanKind.CONSUMER)
            .setAttribute(Messaging.BATCH_MESSAGE_COUNT, (long) events.size());
    @SuppressWarnings("unchecked") // the events are those of the batch, whatever their class is
    BatchContext<IntegrationEvent> any = (BatchContext<IntegrationEvent>) batch;
    for (IntegrationEvent event : events) {
      EventContext message = any.of(event);
      link(builder, message.headers(), Messaging.of(message));
    }
    TracedCall.run(builder, Context.root(), next);
  }

  @Override
  public void store(String endpoint, List<Delivery> deliveries, Runnable next) {
    SpanBuilder builder =
        span(Messaging.RECEIVE, endpoint, SpanKind.CLIENT)
            .setAttribute(Messaging.BATCH_MESSAGE_COUNT, (long) deliveries.size());
    for (Delivery delivery : deliveries) {
      link(builder, delivery.headers(), Attributes.empty());
    }
    TracedCall.run(builder, next);
  }

  private SpanBuilder span(String operation, String endpoint, SpanKind kind) {
    return tracer
        .spanBuilder(operation + " " + endpoint)
        .setSpanKind(kind)
        .setNoParent()
        .setAllAttributes(Messaging.of(operation, endpoint));
  }

  private void link(
      SpanBuilder builder, Map<String, @Nullable Object> header, Attributes attributes) {
    SpanContext producer = Span.fromContext(headers.read(header)).getSpanContext();
    if (producer.isValid()) {
      builder.addLink(producer, attributes);
    }
  }
}
