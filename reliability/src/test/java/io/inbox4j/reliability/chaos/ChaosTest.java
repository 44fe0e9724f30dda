package io.inbox4j.reliability.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inbox4j.testkit.RabbitCluster;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shortest of the runs that {@code bin/chaos} can do. */
@Tag("slow")
class ChaosTest {

  private static final Chaos.Plan PLAN = new Chaos.Plan(10_000, 16, Duration.ZERO, 1, "");

  @Test
  void nothingIsFoundWhereNoBugIsWhateverStrikes() throws Exception {
    assumeTrue(RabbitCluster.isPossible(), "a cluster needs rabbitmq-server on this machine");

    Chaos.Outcome outcome = Chaos.run(PLAN);

    assertThat(outcome.verdict().isClean()).as("%s", outcome.verdict()).isTrue();
    assertThat(outcome.strikes()).hasSize(16).allMatch(strike -> strike.hit().count() > 0);
    assertThat(outcome.confirmed()).isGreaterThan(8_000);
    assertThat(outcome.handled() + outcome.dead()).isGreaterThanOrEqualTo(outcome.confirmed());
    assertThat(outcome.veterans()).allMatch(Chaos.Veteran::isBack);
  }
}
