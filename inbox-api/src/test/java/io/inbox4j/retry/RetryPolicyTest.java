package io.inbox4j.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.retry.RetryDecision.GiveUp;
import io.inbox4j.retry.RetryDecision.RetryAfter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPolicyTest {

  private final Exception failure = new IllegalStateException("broken");

  @Test
  void immediateTriesAgainAtOnceUntilTheLastAttempt() {
    RetryPolicy policy = RetryPolicy.immediate(3);
    assertThat(policy.decide(1, failure)).isEqualTo(new RetryAfter(Duration.ZERO));
    assertThat(policy.decide(2, failure)).isEqualTo(new RetryAfter(Duration.ZERO));
    assertThat(policy.decide(3, failure)).isEqualTo(new GiveUp("attempt 3 of 3 failed"));
  }

  @Test
  void neverGivesUpAfterTheFirstAttempt() {
    assertThat(RetryPolicy.never().decide(1, failure)).isInstanceOf(GiveUp.class);
  }

  @Test
  void fixedWaitsTheSameTimeEachTime() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(5)).jitter(0);
    assertThat(policy.decide(1, failure)).isEqualTo(new RetryAfter(Duration.ofSeconds(5)));
    assertThat(policy.decide(9, failure)).isEqualTo(new RetryAfter(Duration.ofSeconds(5)));
    assertThat(policy.decide(10, failure)).isInstanceOf(GiveUp.class);
  }

  @ParameterizedTest
  @CsvSource({"1,PT1S", "2,PT2S", "3,PT4S", "4,PT8S", "10,PT8M32S", "11,PT10M", "2000,PT10M"})
  void exponentialDoublesUpToTheCap(int attempt, Duration delay) {
    RetryPolicy policy = RetryPolicy.ofDefaults().jitter(0).maxAttempts(3_000);
    assertThat(policy.decide(attempt, failure)).isEqualTo(new RetryAfter(delay));
  }

  @Test
  void factorAndCapCanBeChosen() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofMillis(100))
            .factor(3)
            .maxDelay(Duration.ofMillis(500))
            .jitter(0);
    assertThat(policy.decide(2, failure)).isEqualTo(new RetryAfter(Duration.ofMillis(300)));
    assertThat(policy.decide(3, failure)).isEqualTo(new RetryAfter(Duration.ofMillis(500)));
  }

  @Test
  void aFirstDelayLongerThanTheDefaultCapRaisesTheCap() {
    RetryPolicy policy = RetryPolicy.exponential(Duration.ofHours(1)).jitter(0);
    assertThat(policy.decide(3, failure)).isEqualTo(new RetryAfter(Duration.ofHours(1)));
  }

  @Test
  void jitterStaysWithinItsShareToBothSides() {
    Backoff backoff = new Backoff(Duration.ofSeconds(10), 1, Duration.ofSeconds(10), 0.2);
    assertThat(backoff.after(1, 0.0)).isEqualTo(Duration.ofSeconds(8));
    assertThat(backoff.after(1, 0.5)).isEqualTo(Duration.ofSeconds(10));
    assertThat(backoff.after(1, 1.0)).isEqualTo(Duration.ofSeconds(12));

    RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(10));
    for (int i = 0; i < 1_000; i++) {
      assertThat(((RetryAfter) policy.decide(1, failure)).delay())
          .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
    }
  }

  @Test
  void fullJitterNeverGoesBelowZero() {
    Backoff backoff = new Backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 1);
    assertThat(backoff.after(1, 0.0)).isZero();
  }

  @Test
  void thereAreTenAttemptsUnlessSaidOtherwise() {
    assertThat(RetryPolicy.ofDefaults().maxAttempts()).isEqualTo(10);
    assertThat(RetryPolicy.ofDefaults().decide(9, failure)).isInstanceOf(RetryAfter.class);
    assertThat(RetryPolicy.ofDefaults().decide(10, failure)).isInstanceOf(GiveUp.class);
    assertThat(RetryPolicy.ofDefaults().maxAttempts(2).decide(2, failure))
        .isEqualTo(new GiveUp("attempt 2 of 2 failed"));
  }

  @Test
  void aFailureToGiveUpOnIsFoundByItsClassItsSubclassesAndItsCauses() {
    RetryPolicy policy = RetryPolicy.ofDefaults().giveUpOn(IOException.class);
    assertThat(policy.decide(1, new IOException())).isInstanceOf(GiveUp.class);
    assertThat(policy.decide(1, new FileNotFoundException())).isInstanceOf(GiveUp.class);
    assertThat(policy.decide(1, new RuntimeException(new UncheckedIOException(new IOException()))))
        .isInstanceOf(GiveUp.class);
    assertThat(policy.decide(1, failure)).isInstanceOf(RetryAfter.class);
  }

  @Test
  void withAFailureToRetryOnAllOthersAreGivenUpOn() {
    RetryPolicy policy = RetryPolicy.ofDefaults().retryOn(IOException.class);
    assertThat(policy.decide(1, new UncheckedIOException(new IOException())))
        .isInstanceOf(RetryAfter.class);
    assertThat(policy.decide(1, failure))
        .isEqualTo(new GiveUp("the policy gives up on this at once"));
  }

  @Test
  void ofSeveralRulesTheFirstThatFitsDecides() {
    RetryPolicy policy =
        RetryPolicy.ofDefaults().giveUpOn(FileNotFoundException.class).retryOn(IOException.class);
    assertThat(policy.decide(1, new FileNotFoundException())).isInstanceOf(GiveUp.class);
    assertThat(policy.decide(1, new IOException())).isInstanceOf(RetryAfter.class);
  }

  @Test
  void aChainOfCausesThatIsACircleEnds() {
    Exception first = new Exception("first");
    first.initCause(new Exception("second", first));
    assertThat(RetryPolicy.ofDefaults().giveUpOn(IOException.class).decide(1, first))
        .isInstanceOf(RetryAfter.class);
  }

  @Test
  void aHandlerThatWantsToBeCalledLaterChoosesTheDelayButNotTheAttempts() {
    RetryPolicy policy = RetryPolicy.never().maxAttempts(2);
    RetryLater later = RetryLater.after(Duration.ofMinutes(5), "being upgraded");
    assertThat(policy.decide(1, later)).isEqualTo(new RetryAfter(Duration.ofMinutes(5)));
    assertThat(policy.decide(2, later)).isInstanceOf(GiveUp.class);
    assertThat(policy.retryOn(IOException.class).decide(1, later)).isInstanceOf(RetryAfter.class);
  }

  @Test
  void aDeadLetterAndABodyThatDoesNotFitAreGivenUpOnAtOnce() {
    assertThat(RetryPolicy.ofDefaults().decide(1, DeadLetter.because("never placed")))
        .isEqualTo(new GiveUp("the handler gave up"));
    assertThat(RetryPolicy.ofDefaults().decide(1, new UnreadableEventException("no fit", failure)))
        .isEqualTo(new GiveUp("the body cannot be read"));
  }

  @Test
  void everyMethodReturnsACopy() {
    RetryPolicy policy = RetryPolicy.immediate(3);
    policy.maxAttempts(1).giveUpOn(Exception.class).jitter(1);
    assertThat(policy.decide(1, failure)).isEqualTo(new RetryAfter(Duration.ZERO));
  }

  @ParameterizedTest
  @CsvSource({"0", "-1", "32768"})
  void attemptsOutOfRangeAreRefused(int attempts) {
    assertThatThrownBy(() -> RetryPolicy.ofDefaults().maxAttempts(attempts))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxAttempts is %d; expected 1 to 32767", attempts);
  }

  @ParameterizedTest
  @CsvSource({"0.5", "-1", "1001", "NaN"})
  void aFactorOutOfRangeIsRefused(double factor) {
    assertThatThrownBy(() -> RetryPolicy.ofDefaults().factor(factor))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("factor is %s; expected 1 to 1000", factor);
  }

  @ParameterizedTest
  @CsvSource({"-0.1", "1.1", "NaN"})
  void aJitterOutOfRangeIsRefused(double jitter) {
    assertThatThrownBy(() -> RetryPolicy.ofDefaults().jitter(jitter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("jitter is %s; expected 0 to 1", jitter);
  }

  @Test
  void aDelayOutOfRangeIsRefused() {
    assertThatThrownBy(() -> RetryPolicy.fixed(Duration.ofMillis(-5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("delay is PT-0.005S; expected zero");
    assertThatThrownBy(() -> RetryPolicy.ofDefaults().maxDelay(Duration.ofMillis(10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxDelay is PT0.01S; expected at least")
        .hasMessageContaining("PT1S");
  }

  @Test
  void aDelayThatNoClockCanCountIsRefusedBeforeAMessageNeedsIt() {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    assertThatThrownBy(() -> RetryPolicy.fixed(forever))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(forever.toString());
    assertThatThrownBy(() -> RetryPolicy.ofDefaults().maxDelay(forever))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(forever.toString());
    assertThatThrownBy(() -> RetryLater.after(forever, "never"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(forever.toString());
  }

  @Test
  void itIsShownInOneLine() {
    assertThat(RetryPolicy.ofDefaults()).hasToString("10 attempts, delay PT1S × 2.0 up to PT10M");
  }
}
