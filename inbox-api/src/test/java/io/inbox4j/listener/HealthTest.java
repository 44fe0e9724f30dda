package io.inbox4j.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {

  private static final Instant SINCE = Instant.parse("2026-01-10T09:14:07Z");

  private static final Part DATABASE =
      new Part("database", null, Status.UP, "answers in 3 ms", SINCE);
  private static final Part LAG =
      new Part("lag", "billing", Status.DEGRADED, "due for 84 s", SINCE);
  private static final Part BROKER =
      new Part("broker", "billing", Status.DOWN, "is not connected", SINCE);

  @Test
  void theWholeIsAsItsWorstPart() {
    assertThat(Health.of(List.of(DATABASE)).status()).isEqualTo(Status.UP);
    assertThat(Health.of(List.of(LAG, DATABASE)).status()).isEqualTo(Status.DEGRADED);
    assertThat(Health.of(List.of(LAG, BROKER, DATABASE)).status()).isEqualTo(Status.DOWN);
  }

  @Test
  void aPartIsFoundByItsNameAndEndpoint() {
    Health health = Health.of(List.of(DATABASE, LAG));
    assertThat(health.part("database")).contains(DATABASE);
    assertThat(health.part("lag", "billing")).contains(LAG);
    assertThat(health.part("lag")).isEmpty();
    assertThat(health.part("lag", "shipping")).isEmpty();
  }

  @Test
  void peopleReadATable() {
    assertThat(Health.of(List.of(DATABASE, LAG)).toString())
        .isEqualTo(
            """
            The inbox is DEGRADED
              UP       database     answers in 3 ms (since 2026-01-10T09:14:07Z)
              DEGRADED lag          billing: due for 84 s (since 2026-01-10T09:14:07Z)""");
  }
}
