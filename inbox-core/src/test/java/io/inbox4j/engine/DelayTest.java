package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.handler.Postpone;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are handled no earlier than at some time. */
@Timeout(60)
class DelayTest {

  @Test
  void aMessageIsNotHandledBeforeTheTimeItNames() {
    try (Service service =
        Service.subscribing(
                it -> it.on(Created.class, Service::effect).maxDelay(Duration.ofDays(36_500)))
            .start()) {
      service.transport.deliver(
          Service.QUEUE, List.of(delivery(0, "2100-01-01T00:00:00Z"), delivery(1, null)));
      service.awaitAll("processed", 1);
      assertThat(service.statuses()).containsExactly("pending 0", "processed 1");
      assertThat(dueTimes(service)).containsExactly(Instant.parse("2100-01-01T00:00:00Z"));
    }
  }

  @Test
  void aTimeThatHasPassedDelaysNothing() {
    try (Service service = Service.handling(Service::effect)) {
      service.transport.deliver(
          Service.QUEUE, List.of(delivery(0, 1_000L), delivery(1, "2001-02-03T04:05:06+02:00")));
      service.awaitAll("processed", 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tomorrow", "", "2100-01-01", "+999999999-12-31T23:59:59Z"})
  void aTimeThatIsNoneIsQuarantined(String time) {
    try (Service service = Service.handling(Service::effect)) {
      service.transport.deliver(Service.QUEUE, List.of(delivery(0, time)));
      assertThat(service.heard.of("quarantined")).containsExactly("quarantined bad-time");
      assertThat(service.quarantineDetails().get(0))
          .contains("'" + time + "'")
          .contains("ISO 8601");
    }
  }

  @Test
  void aTimeThatIsTooFarAheadIsQuarantinedWithTheLimit() {
    try (Service service = Service.handling(Service::effect)) {
      service.transport.deliver(
          Service.QUEUE,
          List.of(
              delivery(0, "9999-01-01T00:00:00Z"),
              delivery(1, System.currentTimeMillis() + Duration.ofDays(367).toMillis()),
              delivery(2, System.currentTimeMillis() + Duration.ofDays(365).toMillis())));
      assertThat(service.statuses()).containsExactly("pending 0");
      assertThat(service.heard.of("quarantined"))
          .containsExactly("quarantined bad-time", "quarantined bad-time");
      assertThat(service.quarantineDetails())
          .hasSize(2)
          .allSatisfy(it -> assertThat(it).contains("366 days"))
          .anySatisfy(it -> assertThat(it).contains("'9999-01-01T00:00:00Z'"));
    }
  }

  @Test
  void aHandlerCanPostponeWithoutUsingUpAnAttempt() {
    AtomicInteger calls = new AtomicInteger();
    try (Service service =
        Service.handling(
            (event, context) -> {
              Service.effect(event, context);
              if (calls.incrementAndGet() <= 20) {
                throw Postpone.by(Duration.ofMillis(5), "too early");
              }
            })) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(service.statuses()).containsExactly("processed 1");
      assertThat(service.store.effects()).containsExactly("0");
    }
  }

  @Test
  void aHandlerCanNameTheTime() {
    Instant time = Instant.parse("2100-01-01T00:00:00Z");
    try (Service service =
        Service.handling(
            (event, context) -> {
              throw Postpone.until(time, "not valid yet");
            })) {
      service.deliver(1);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(dueTimes(service)).containsExactly(time));
      assertThat(service.statuses()).containsExactly("pending 0");
    }
  }

  private static List<Instant> dueTimes(Service service) {
    return service.store.listPending(MessageFilter.all(), 10).stream()
        .map(PendingMessage::dueAt)
        .toList();
  }

  private static Delivery delivery(int n, Object notBefore) {
    return new Delivery(
        Messages.id(n).toString(),
        Messages.TYPE,
        null,
        null,
        null,
        null,
        notBefore == null ? Map.of() : Map.of("x-not-before", notBefore),
        ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8),
        false);
  }
}
