package io.inbox4j.opentelemetry;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.retry.RetryPolicy;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(240)
class InboxTracingTest {

  private static final String CANARY = "canary-in-an-exception";
  private static final ContextKey<String> LEFT_BEHIND = ContextKey.named("left behind");

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  @Test
  void everyAttemptIsAChildOfTheProducersSpanAndAFailureIsRecordedWithoutWhatItSays()
      throws Exception {
    try (TracedService service =
        new TracedService(
            queue ->
                queue
                    .on(OrderPlaced.class, InboxTracingTest::failTwice)
                    .retry(RetryPolicy.immediate(3)))) {
      service.inbox.start();
      SpanContext producer = service.publish("a");
      List<SpanData> runs = service.spans("process", 3);

      assertThat(runs).extracting(SpanData::getTraceId).containsOnly(producer.getTraceId());
      assertThat(runs).extracting(SpanData::getParentSpanId).containsOnly(producer.getSpanId());
      assertThat(runs).extracting(SpanData::getKind).containsOnly(SpanKind.CONSUMER);
      assertThat(runs).extracting(run -> number(run, "inbox.attempt")).containsExactly(1L, 2L, 3L);
      assertThat(runs)
          .extracting(run -> run.getStatus().getStatusCode())
          .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
      assertThat(runs)
          .extracting(run -> text(run, "error.type"))
          .containsExactly(
              IllegalStateException.class.getName(), IllegalStateException.class.getName(), null);
      SpanData last = runs.get(2);
      assertThat(last.getName()).isEqualTo("process " + service.queue);
      assertThat(text(last, "messaging.system")).isEqualTo("rabbitmq");
      assertThat(text(last, "messaging.destination.name")).isEqualTo(service.queue);
      assertThat(text(last, "messaging.operation.type")).isEqualTo("process");
      assertThat(text(last, "messaging.message.id"))
          .isEqualTo(MessageIds.of("order", "a").toString());
      assertThat(text(last, "messaging.message.conversation_id")).isEqualTo("conversation of a");

      SpanData receive = service.spans("receive", 1).get(0);
      assertThat(receive.getKind()).isEqualTo(SpanKind.CLIENT);
      assertThat(text(receive, "messaging.operation.type")).isEqualTo("receive");
      assertThat(number(receive, "messaging.batch.message_count")).isEqualTo(1L);
      assertThat(linked(receive)).containsExactly(producer.getSpanId());
      assertThat(service.exporter.getFinishedSpanItems().toString()).doesNotContain(CANARY);
    }
  }

  private static void failTwice(OrderPlaced event, EventContext context) {
    if (context.attempt() < 3) {
      throw new IllegalStateException(CANARY);
    }
  }

  @Test
  void theHandlersContextIsTheProducersAndGoneAfterwardsThoughTheHandlerLeavesOneBehind()
      throws Exception {
    EventMiddleware outside =
        (event, context, next) -> {
          next.proceed();
          seen.add(Context.current() == Context.root() ? "clean" : "dirty");
        };
    try (TracedService service =
        new TracedService(queue -> queue.on(OrderPlaced.class, this::leaveBehind), outside)) {
      service.inbox.start();
      SpanContext one = service.publish("one");
      service.spans("process", 1);
      SpanContext two = service.publish("two");
      service.spans("process", 2);
      service.inbox.close();
      assertThat(seen)
          .containsExactly(
              one.getTraceId() + " acme null", "clean", two.getTraceId() + " acme null", "clean");
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // that is the mistake
  private void leaveBehind(OrderPlaced event, EventContext context) {
    seen.add(
        "%s %s %s"
            .formatted(
                Span.current().getSpanContext().getTraceId(),
                Baggage.current().getEntryValue("tenant"),
                Context.current().get(LEFT_BEHIND)));
    Context.current().with(LEFT_BEHIND, event.order()).makeCurrent();
  }

  @Test
  void headersThatAreNoContextHurtNobodyAndBeginATraceOfTheirOwn() throws Exception {
    String id = "0af7651916cd43dd8448eb211c80319c";
    List<Map<String, Object>> hostile =
        List.of(
            Map.of("traceparent", ""),
            Map.of("traceparent", "00-" + id),
            Map.of("traceparent", "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-01"),
            Map.of("traceparent", "ff-" + id + "-b7ad6b7169203331-01"),
            Map.of("traceparent", "00-" + id + "-b7ad6b7169203331-01-\u0000\uffff"),
            Map.of("traceparent", "x".repeat(20_000)),
            Map.of("traceparent", 7),
            Map.of("traceparent", List.of("00-" + id + "-b7ad6b7169203331-01")),
            Map.of("traceparent", Map.of("traceparent", "00")),
            Map.of("baggage", "=,;=;,%zz=%", "tracestate", ",=,".repeat(1_000)),
            Map.of("baggage", "a=" + "%41".repeat(5_000)));
    try (TracedService service =
        new TracedService(
            queue -> queue.on(OrderPlaced.class, (event, context) -> seen.add(event.order())))) {
      service.inbox.start();
      for (int i = 0; i < hostile.size(); i++) {
        service.publish("hostile " + i, hostile.get(i));
      }
      SpanContext honest = service.publish("honest");
      List<SpanData> spans = service.spans("process", hostile.size() + 1);
      assertThat(seen).hasSize(hostile.size() + 1).doesNotHaveDuplicates();
      assertThat(spans.subList(0, hostile.size()))
          .allMatch(span -> !span.getParentSpanContext().isValid())
          .extracting(SpanData::getTraceId)
          .doesNotHaveDuplicates()
          .doesNotContain(id);
      assertThat(spans.get(hostile.size()).getParentSpanId()).isEqualTo(honest.getSpanId());
    }
  }

  @Test
  void aHandlerOfBatchesHasOneSpanThatIsLinkedToAllProducers() throws Exception {
    try (TracedService service =
        new TracedService(queue -> queue.onBatch(OrderPlaced.class, this::all))) {
      service.inbox.startReceiving();
      List<String> producers =
          List.of(
              service.publish("a").getSpanId(),
              service.publish("b").getSpanId(),
              service.publish("c").getSpanId());
      service.spans("receive", 1);
      awaitStored(service, 3);
      service.inbox.startProcessing();
      SpanData batch = service.spans("process", 1).get(0);
      assertThat(batch.getParentSpanContext().isValid()).isFalse();
      assertThat(number(batch, "messaging.batch.message_count")).isEqualTo(3L);
      assertThat(linked(batch)).containsExactlyElementsOf(producers);
      assertThat(batch.getLinks())
          .extracting(link -> link.getAttributes().get(stringKey("messaging.message.id")))
          .contains(MessageIds.of("order", "b").toString());
    }
  }

  private static void awaitStored(TracedService service, int count) {
    service.spans("publish", count);
    org.awaitility.Awaitility.await()
        .atMost(TracedService.PATIENCE)
        .until(() -> service.inbox.backlog(service.queue).pending() == count);
  }

  private void all(List<OrderPlaced> events, BatchContext<? extends IntegrationEvent> context) {
    events.forEach(event -> seen.add(event.order()));
  }

  private static List<String> linked(SpanData span) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .map(SpanContext::getSpanId)
        .toList();
  }

  private static @Nullable String text(SpanData span, String name) {
    return span.getAttributes().get(stringKey(name));
  }

  private static @Nullable Long number(SpanData span, String name) {
    return span.getAttributes().get(longKey(name));
  }
}
