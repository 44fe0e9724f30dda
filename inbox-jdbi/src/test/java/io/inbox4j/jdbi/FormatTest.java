package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.MessageIds;
import io.inbox4j.format.JacksonFormat;
import io.inbox4j.handler.EventContext;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Bodies that are no JSON, through the inbox. */
@Timeout(60)
class FormatTest {

  private static final String CBOR = "application/cbor";
  private static final ObjectMapper CBOR_MAPPER =
      JacksonFormat.withDefaults(CBORMapper.builder()).build();

  private final AtomicBoolean broken = new AtomicBoolean();

  @Test
  void aBodyIsStoredByteForByteWithItsContentTypeAndHandled() {
    try (Service service = with(queue -> {}).start()) {
      byte[] body = CBOR_MAPPER.writeValueAsBytes(Map.of("walk", "a", "n", 1));
      deliver(service, "one", CBOR, body);
      deliver(service, "two", "text/x-pairs; v=2", "walk=b\nn=2");
      deliver(service, "three", null, "{\"walk\":\"c\",\"n\":3}");
      service.awaitAll("processed", 3);
      assertThat(service.database.effects()).containsExactly("a1", "b2", "c3");
      assertThat(service.database.one(byte[].class, bodyOf("one"))).isEqualTo(body);
      assertThat(service.database.texts("SELECT content_type FROM inbox_messages ORDER BY seq"))
          .containsExactly(CBOR, "text/x-pairs; v=2", null);
      assertThat(service.database.texts("SELECT content->>'walk' FROM inbox ORDER BY seq"))
          .as("the view shows only JSON")
          .containsExactly(null, null, "c");
    }
  }

  @Test
  void theIdCanBeInTheBodyAsTextOrAsBytes() {
    try (Service service = with(queue -> {}).start()) {
      UUID id = UUID.randomUUID();
      deliver(service, null, CBOR, CBOR_MAPPER.writeValueAsBytes(new Step(id, "a", 1)));
      deliver(service, null, CBOR, CBOR_MAPPER.writeValueAsBytes(new Step(id, "a", 1)));
      deliver(service, null, PairsFormat.CONTENT_TYPE, "id=order-7\nwalk=b\nn=1");
      service.awaitAll("processed", 2);
      assertThat(service.heard.of("duplicate")).containsExactly("duplicate " + id);
      assertThat(service.database.effects()).containsExactly("a1", "b1");
    }
  }

  @Test
  void theOrderingKeyIsReadFromTheEvent() {
    broken.set(true);
    try (Service service =
        with(queue ->
                queue.ordered().retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(1_000)))
            .start()) {
      deliver(service, "one", PairsFormat.CONTENT_TYPE, "walk=a\nn=1");
      deliver(service, "two", CBOR, CBOR_MAPPER.writeValueAsBytes(Map.of("walk", "a", "n", 2)));
      deliver(service, "three", PairsFormat.CONTENT_TYPE, "walk=b\nn=1");
      service.awaitAll("processed", 1);
      await().until(() -> service.heard.of("retried").size() > 3);
      assertThat(service.database.effects()).containsExactly("b1");
      broken.set(false);
      service.awaitAll("processed", 3);
      assertThat(service.database.texts("SELECT name FROM effects ORDER BY ctid"))
          .containsExactly("b1", "a1", "a2");
    }
  }

  @Test
  void anUpcasterWorksInEveryFormatOfJackson() {
    try (Service service =
        with(queue ->
                queue.upcast(
                    "step.v1", Step.class, tree -> tree.put("n", tree.remove("steps").asInt())))
            .start()) {
      byte[] old = CBOR_MAPPER.writeValueAsBytes(Map.of("walk", "a", "steps", 7));
      service.transport.deliver(Service.QUEUE, List.of(delivery("one", "step.v1", CBOR, old)));
      service.awaitAll("processed", 1);
      assertThat(service.database.effects()).containsExactly("a7");
    }
  }

  @Test
  void aBodyThatDoesNotFitIsDeadAtOnce() {
    try (Service service = with(queue -> {}).start()) {
      deliver(service, "one", PairsFormat.CONTENT_TYPE, "walk=a\nn=many");
      deliver(service, "two", CBOR, CBOR_MAPPER.writeValueAsBytes(Map.of("walk", "a", "n", "7")));
      service.awaitAll("dead", 2);
      assertThat(service.inbox.deadLetters().list(MessageFilter.all(), 10))
          .allSatisfy(dead -> assertThat(dead.attempts()).isOne())
          .extracting(dead -> dead.error().lines().findFirst().orElse(""))
          .satisfiesExactly(
              error ->
                  assertThat(error)
                      .contains("the body cannot be read")
                      .contains("PairsFormat failed with java.lang.NumberFormatException"),
              error -> assertThat(error).contains("at 'n': expected int"));
    }
  }

  @Test
  void aBodyWhoseIdOrKeyCannotBeReadIsQuarantined() {
    try (Service service = with(SubscriptionBuilder::ordered).start()) {
      deliver(service, "one", PairsFormat.CONTENT_TYPE, "no pair");
      deliver(service, "two", PairsFormat.CONTENT_TYPE, "walk=a\nn=many");
      deliver(service, "three", CBOR, new byte[] {(byte) 0xBF, 0x61});
      assertThat(service.heard.of("quarantined")).hasSize(3).containsOnly("quarantined unreadable");
      assertThat(service.database.texts("SELECT detail FROM inbox_quarantine ORDER BY seq"))
          .satisfiesExactly(
              detail -> assertThat(detail).contains("PairsFormat could not look for"),
              detail -> assertThat(detail).contains("NumberFormatException"),
              detail -> assertThat(detail).isEqualTo("the body is not valid CBOR"));
    }
  }

  @Test
  void whatNobodyCouldReadComesBackOnceTheFormatIsThere() {
    TestDatabase database;
    try (Service service = Service.subscribing(queue -> queue.on(Step.class, this::take)).start()) {
      database = service.database;
      deliver(service, "one", PairsFormat.CONTENT_TYPE, "walk=a\nn=1");
      assertThat(service.inbox.quarantine().list(MessageFilter.all(), 10))
          .singleElement()
          .satisfies(
              it ->
                  assertThat(it.detail())
                      .isEqualTo(
                          "the content type is 'text/x-pairs'; this inbox reads:"
                              + " application/json, text/json"));
    }
    try (Service service = Service.with(database, formats(queue -> {})).start()) {
      MessageFilter unread = MessageFilter.all().text("text/x-pairs");
      assertThat(service.inbox.quarantine().replay(unread)).isEqualTo(1);
      service.awaitAll("processed", 1);
      assertThat(database.effects()).containsExactly("a1");
    }
  }

  @Test
  void aWorkerWithoutTheFormatSaysSo() {
    TestDatabase database;
    try (Service receiver = with(queue -> {})) {
      database = receiver.database;
      receiver.inbox.startReceiving();
      deliver(receiver, "one", CBOR, CBOR_MAPPER.writeValueAsBytes(Map.of("walk", "a", "n", 1)));
    }
    try (Service worker =
        Service.with(database, inbox -> inbox.subscribe(Service.QUEUE, Step.class, this::take))) {
      worker.inbox.startProcessing();
      worker.awaitAll("dead", 1);
      assertThat(worker.inbox.deadLetters().list(MessageFilter.all(), 10).get(0).error())
          .contains("the content type is 'application/cbor'; this inbox reads: application/json");
    }
  }

  private Service with(Consumer<SubscriptionBuilder> options) {
    return Service.with(formats(options));
  }

  private Consumer<InboxBuilder> formats(Consumer<SubscriptionBuilder> options) {
    return inbox ->
        inbox
            .format(new PairsFormat())
            .format(JacksonFormat.of(CBOR_MAPPER, CBOR))
            .subscribe(
                Service.QUEUE,
                queue -> {
                  queue.on(Step.class, this::take);
                  options.accept(queue);
                });
  }

  /** Takes the step; the first of the walk a fails while something is broken. */
  private void take(Step event, EventContext context) {
    String name = event.walk() + event.n();
    if (name.equals("a1") && broken.get()) {
      throw new IllegalStateException("broken");
    }
    TestDatabase.effect(context.unwrap(Handle.class), name);
  }

  private static String bodyOf(String id) {
    return "SELECT body FROM inbox_messages WHERE message_id = '%s'"
        .formatted(MessageIds.parse(id));
  }

  private static void deliver(
      Service service, @Nullable String id, @Nullable String contentType, String body) {
    deliver(service, id, contentType, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void deliver(
      Service service, @Nullable String id, @Nullable String contentType, byte[] body) {
    service.transport.deliver(Service.QUEUE, List.of(delivery(id, "step", contentType, body)));
  }

  private static Delivery delivery(
      @Nullable String id, String type, @Nullable String contentType, byte[] body) {
    return new Delivery(id, type, contentType, null, null, null, Map.of(), body, false);
  }
}
