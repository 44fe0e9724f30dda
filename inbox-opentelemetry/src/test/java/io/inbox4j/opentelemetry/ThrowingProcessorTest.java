package io.inbox4j.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThrowingProcessorTest {

  private final AtomicInteger stored = new AtomicInteger();

  @Test
  void whatAProcessorThrowsAtTheEndOfASpanDoesNotKeepDeliveriesFromBeingStored() {
    store(new Throwing(false));
  }

  @Test
  void whatAProcessorThrowsAtTheStartOfASpanDoesNotKeepDeliveriesFromBeingStored() {
    store(new Throwing(true));
  }

  private void store(SpanProcessor processor) {
    InboxTracing tracing = InboxTracing.on(openTelemetry(processor));
    tracing.store("orders", List.of(), stored::incrementAndGet);
    assertThat(stored).hasValue(1);
  }

  private static OpenTelemetrySdk openTelemetry(SpanProcessor processor) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(processor).build())
        .build();
  }

  private record Throwing(boolean atTheStart) implements SpanProcessor {

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
      if (atTheStart) {
        throw new IllegalStateException("at the start");
      }
    }

    @Override
    public boolean isStartRequired() {
      return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      throw new NoClassDefFoundError("at the end");
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }
}
