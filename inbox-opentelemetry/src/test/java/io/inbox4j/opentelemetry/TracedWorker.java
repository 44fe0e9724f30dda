package io.inbox4j.opentelemetry;

import io.inbox4j.Inbox;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/** A worker in a process of its own. It prints its spans: name, trace, id, parent. */
final class TracedWorker {

  private static final OpenTelemetrySdk openTelemetry = Traces.to(new Printer());

  private TracedWorker() {}

  public static void main(String[] args) throws Exception {
    Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(args[0]))
            .middleware(InboxTracing.on(openTelemetry))
            .subscribe(args[1], OrderPlaced.class, TracedWorker::handle)
            .build();
    inbox.startProcessing();
    System.in.read();
  }

  /** Does something that has a span of its own. */
  private static void handle(OrderPlaced event, EventContext context) {
    Span span = openTelemetry.getTracer("billing").spanBuilder("bill").startSpan();
    span.end();
  }

  private static final class Printer implements SpanExporter {

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      for (SpanData span : spans) {
        System.out.printf(
            "span %s %s %s %s%n",
            span.getName().split(" ", 2)[0],
            span.getTraceId(),
            span.getSpanId(),
            span.getParentSpanId());
      }
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
