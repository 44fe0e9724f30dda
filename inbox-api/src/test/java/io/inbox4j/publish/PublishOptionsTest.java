package io.inbox4j.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PublishOptionsTest {

  private final PublishOptions none = PublishOptions.none();

  @Test
  void everyOptionIsKept() {
    PublishOptions all =
        none.header("region", "north")
            .header("nothing", null)
            .orderingKey("key")
            .correlationId("flow")
            .delay(Duration.ofSeconds(5))
            .expiresAfter(Duration.ofMinutes(1))
            .priority(7);
    assertThat(all)
        .isEqualTo(
            new PublishOptions(
                all.headers(),
                "key",
                "flow",
                Duration.ofSeconds(5),
                null,
                Duration.ofMinutes(1),
                7));
    assertThat(all.headers()).containsEntry("region", "north").containsEntry("nothing", null);
    assertThat(none.headers()).isEmpty();
  }

  @Test
  void aTimeReplacesADelayAndTheOtherWayRound() {
    Instant noon = Instant.parse("2030-01-01T12:00:00Z");
    assertThat(none.delay(Duration.ofSeconds(1)).sendAt(noon).delay()).isNull();
    assertThat(none.sendAt(noon).delay(Duration.ofSeconds(1)).sendAt()).isNull();
  }

  @Test
  void headersAreWhatABrokerCanCarry() {
    Map<String, Object> nested = Map.of("list", List.of(1, 2.5, new BigDecimal("1.10"), true, "a"));
    assertThat(none.header("nested", nested).headers()).containsEntry("nested", nested);
    refused(() -> none.header("id", UUID.randomUUID()), "'id'", "java.util.UUID");
    refused(() -> none.header("map", Map.of(1, "one")), "'map'", "no string");
    refused(() -> none.header("deep", deep(11)), "'deep'", "10 levels");
  }

  private static Object deep(int levels) {
    Object value = "bottom";
    for (int i = 0; i < levels; i++) {
      value = List.of(value);
    }
    return value;
  }

  @Test
  void whatIsOutOfRangeIsRefused() {
    refused(() -> none.priority(256), "256", "0 to 255");
    refused(() -> none.delay(Duration.ofSeconds(-1)), "PT-1S", "zero to 366 days");
    refused(() -> none.expiresAfter(Duration.ZERO), "PT0S", "1 ms to 366 days");
    refused(() -> none.orderingKey(""), "ordering key", "1 to 255");
    refused(() -> none.correlationId("a\0b"), "correlation id", "zero character");
    refused(() -> none.correlationId("ü".repeat(128)), "correlation id", "255 bytes");
    refused(() -> none.header("n".repeat(256), 1), "name of a header", "255 bytes");
  }

  private static void refused(Runnable option, String... texts) {
    assertThatThrownBy(option::run)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(texts));
  }
}
