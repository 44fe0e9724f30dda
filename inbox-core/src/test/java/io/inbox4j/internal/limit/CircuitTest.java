package io.inbox4j.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.CircuitState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CircuitTest {

  private final List<String> told = new ArrayList<>();
  private long now;
  private final Circuit circuit =
      new Circuit(
          "orders",
          CircuitBreaker.ofDefaults()
              .failureRate(0.5)
              .minMessages(10)
              .window(Duration.ofSeconds(60))
              .pause(Duration.ofSeconds(5)),
          new SafeListener(
              List.of(
                  new InboxListener() {
                    @Override
                    public void circuitOpened(CircuitOpened event) {
                      told.add(
                          "%s opened at %s for %s"
                              .formatted(event.endpoint(), event.failureRate(), event.pause()));
                    }

                    @Override
                    public void circuitClosed(CircuitClosed event) {
                      told.add(event.endpoint() + " closed");
                    }
                  })),
          () -> now);

  @Test
  void letsAllThroughWhileFewFail() {
    circuit.report(100, 49);
    assertThat(circuit.admits()).isEqualTo(Integer.MAX_VALUE);
    assertThat(told).isEmpty();
  }

  @Test
  void doesNotJudgeByAFew() {
    circuit.report(9, 9);
    assertThat(circuit.state()).isEqualTo(CircuitState.CLOSED);
  }

  @Test
  void opensWhenMostFailAndSaysSo() {
    circuit.report(6, 1);
    circuit.report(4, 4);
    assertThat(circuit.state()).isEqualTo(CircuitState.OPEN);
    assertThat(circuit.admits()).isZero();
    assertThat(told).containsExactly("orders opened at 0.5 for PT5S");
  }

  @Test
  void failuresOfAnEarlierWindowDoNotCount() {
    circuit.report(9, 9);
    admission(Duration.ofSeconds(60));
    circuit.report(9, 9);
    assertThat(circuit.state()).isEqualTo(CircuitState.CLOSED);
  }

  @Test
  void afterThePauseOneIsTriedAndNoMore() {
    open();
    admission(Duration.ofSeconds(5));
    assertThat(circuit.admits()).isEqualTo(1);
    assertThat(circuit.admits()).isZero();
    assertThat(circuit.state()).isEqualTo(CircuitState.HALF_OPEN);
  }

  @Test
  void aTrialThatSucceedsClosesIt() {
    open();
    admission(Duration.ofSeconds(5));
    circuit.admits();
    circuit.report(1, 0);
    assertThat(circuit.admits()).isEqualTo(Integer.MAX_VALUE);
    assertThat(told).last().isEqualTo("orders closed");
  }

  @Test
  void aTrialThatFailsOpensItForAnotherPause() {
    open();
    admission(Duration.ofSeconds(5));
    circuit.admits();
    circuit.report(1, 1);
    admission(Duration.ofSeconds(4));
    assertThat(circuit.admits()).isZero();
    admission(Duration.ofSeconds(1));
    assertThat(circuit.admits()).isEqualTo(1);
    assertThat(told).hasSize(1);
  }

  @Test
  void aTrialThatFindsNothingIsLeftToTheNext() {
    open();
    admission(Duration.ofSeconds(5));
    circuit.admits();
    circuit.foundNothing();
    assertThat(circuit.admits()).isEqualTo(1);
  }

  @Test
  void aTrialThatIsPostponedIsLeftToTheNext() {
    open();
    admission(Duration.ofSeconds(5));
    circuit.admits();
    circuit.report(0, 0);
    assertThat(circuit.admits()).isEqualTo(1);
  }

  @Test
  void whatWasInFlightWhenItOpenedChangesNothing() {
    open();
    circuit.report(100, 0);
    assertThat(circuit.state()).isEqualTo(CircuitState.OPEN);
  }

  private void open() {
    circuit.report(10, 10);
  }

  private void admission(Duration time) {
    now += time.toNanos();
  }
}
