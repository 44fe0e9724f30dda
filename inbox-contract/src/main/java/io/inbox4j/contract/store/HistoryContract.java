package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inbox4j.handler.Postpone;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The failed attempts of messages. */
abstract class HistoryContract extends ContractPart {

  private static final AttemptFailure NO_STOCK =
      new AttemptFailure(
          "shop.NoStock", "shop.NoStock: none left", "abc", Duration.ofMillis(1_234), "worker-1");

  @Test
  void aFailedAttemptIsKeptWithAllThatIsKnownAboutIt() {
    receive(1);
    settle(it -> retry(it, NO_STOCK));
    FailedAttempt attempt = store.attempts(endpoint, id(0)).get(0);
    assertThat(attempt)
        .isEqualTo(
            new FailedAttempt(
                1,
                1,
                attempt.at(),
                Duration.ofMillis(1_234),
                "worker-1",
                "shop.NoStock",
                "shop.NoStock: none left",
                "abc"));
    assertThat(attempt.at()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
  }

  @Test
  void theHistorySurvivesThatTheMessageIsProcessed() {
    receive(2);
    settle(it -> retry(it, NO_STOCK));
    process();
    assertThat(store.attempts(endpoint, id(0))).hasSize(1);
    assertThat(store.attempts(endpoint, id(1))).hasSize(1);
  }

  @Test
  void aMessageThatNeverFailedHasNoHistory() {
    receive(1);
    settle(it -> new Outcome.Postponed(it.sequence(), new Postpone.When.After(Duration.ZERO)));
    process();
    assertThat(store.attempts(endpoint, id(0))).isEmpty();
    assertThat(store.attempts("another", id(0))).isEmpty();
    assertThat(store.attempts(endpoint, id(7))).isEmpty();
  }

  @Test
  void theHistoryGoesOnWhenADeadMessageIsReplayed() {
    receive(1);
    settle(it -> retry(it, NO_STOCK));
    settle(it -> new Outcome.Dead(it.sequence(), "full text", false, NO_STOCK));
    store.replayDead(mine(), BY, 0, 10);
    settle(it -> retry(it, NO_STOCK));
    assertThat(store.attempts(endpoint, id(0)))
        .extracting(FailedAttempt::number)
        .containsExactly(1, 2, 3);
    assertThat(store.attempts(endpoint, id(0)))
        .extracting(FailedAttempt::attempt)
        .containsExactly(1, 2, 1);
  }

  @Test
  void theFirstAndTheLastAttemptsAreKept() {
    receive(1);
    int failures = FailedAttempt.FIRST_KEPT + FailedAttempt.LAST_KEPT + 7;
    for (int i = 0; i < failures; i++) {
      settle(it -> retry(it, NO_STOCK));
    }
    List<Integer> expected =
        IntStream.rangeClosed(1, failures)
            .filter(n -> n <= FailedAttempt.FIRST_KEPT || n > failures - FailedAttempt.LAST_KEPT)
            .boxed()
            .toList();
    assertThat(store.attempts(endpoint, id(0)))
        .extracting(FailedAttempt::number)
        .containsExactlyElementsOf(expected);
  }

  @Test
  void anAttemptThatIsRolledBackIsNotKept() {
    receive(1);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      assertThat(sequence).isPositive();
    }
    assertThat(store.attempts(endpoint, id(0))).isEmpty();
  }

  @Test
  void aCrashOfTheProcessIsAnAttemptWithoutException() {
    receive(1);
    long sequence = settle(it -> retry(it, NO_STOCK)).get(0).sequence();
    for (int i = 0; i < 3; i++) {
      assertThat(store.markCrashRiskAlone(sequence, Duration.ZERO)).isTrue();
    }
    assertThat(store.attempts(endpoint, id(0)))
        .as("the first mark is no attempt, the second one runs alone, the third follows a crash")
        .extracting(FailedAttempt::attempt, FailedAttempt::errorClass, FailedAttempt::fingerprint)
        .containsExactly(tuple(1, "shop.NoStock", "abc"), tuple(2, null, AttemptFailure.CRASH));
    settle(it -> new Outcome.Dead(it.sequence(), "full text", false, NO_STOCK));
    assertThat(store.attempts(endpoint, id(0)))
        .extracting(FailedAttempt::attempt)
        .containsExactly(1, 2, 3);
  }

  private static Outcome retry(ClaimedMessage message, AttemptFailure failure) {
    return new Outcome.Retry(message.sequence(), Duration.ZERO, "full text", false, failure);
  }
}
