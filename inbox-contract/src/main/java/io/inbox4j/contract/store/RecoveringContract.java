package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A message is orphan if a transaction had it in flight and ended without an outcome for it. */
abstract class RecoveringContract extends ContractPart {

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void aNewMessageIsNotOrphan() {
    receive(3);
    assertThat(orphans()).isEmpty();
  }

  @Test
  void exactlyWhatWasInFlightWhenATransactionEndedIsOrphan() {
    receive(4);
    abandon(2);
    assertThat(orphans()).isEqualTo(ids(0, 2));
  }

  @Test
  void exactlyWhatWasInFlightWhenTheConnectionWasLostIsOrphan() {
    receive(4);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 3);
      fixture.effect(transaction, endpoint);
      fixture.lose(transaction);
    }
    assertThat(orphans()).isEqualTo(ids(0, 3));
  }

  @Test
  void aOrphanStaysOrphanUntilItGetsAnOutcome() {
    receive(2);
    abandon(1);
    abandon(1);
    assertThat(orphans()).isEqualTo(ids(0, 1));
  }

  @Test
  void aRetriedMessageIsNotOrphanHoweverOften() {
    receive(2);
    for (int round = 1; round <= 3; round++) {
      List<ClaimedMessage> messages = retry(Duration.ZERO);
      assertThat(messages).hasSize(2).noneMatch(ClaimedMessage::orphaned);
    }
    assertThat(orphans()).isEmpty();
  }

  @Test
  void aRetriedMessageIsNotOrphanAfterMarksThatWereKeptAndUndone() {
    receive(3);
    for (int round = 1; round <= 2; round++) {
      retryBetweenMarks();
    }
    assertThat(orphans()).isEmpty();
  }

  private void retryBetweenMarks() {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
      assertThat(messages).hasSize(3).noneMatch(ClaimedMessage::orphaned);
      List<Outcome> outcomes = new ArrayList<>();
      for (ClaimedMessage message : messages) {
        transaction.savepoint();
        fixture.effect(transaction, "effect");
        transaction.releaseSavepoint();
        transaction.savepoint();
        fixture.failAndSwallow(transaction);
        transaction.rollbackToSavepoint();
        outcomes.add(new Outcome.Retry(message.sequence(), Duration.ZERO, "again"));
      }
      transaction.commit(outcomes);
    }
  }

  @Test
  void marksDoNotHideThatATransactionEnded() {
    receive(3);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 2);
      transaction.savepoint();
      fixture.effect(transaction, "effect");
      transaction.releaseSavepoint();
      transaction.savepoint();
      fixture.failAndSwallow(transaction);
      transaction.rollbackToSavepoint();
      transaction.savepoint();
    }
    assertThat(orphans()).isEqualTo(ids(0, 2));
  }

  @Test
  void aRetriedMessageIsOrphanAfterALaterTransactionEnded() {
    receive(2);
    retry(Duration.ZERO);
    abandon(1);
    assertThat(orphans()).isEqualTo(ids(0, 1));
  }

  @Test
  void aOrphanThatWasRetriedIsNotOrphanAnyMore() {
    receive(2);
    abandon(2);
    assertThat(retry(Duration.ZERO)).allMatch(ClaimedMessage::orphaned);
    assertThat(orphans()).isEmpty();
  }

  @Test
  void aCommitThatLeavesAMessageWithoutAnOutcomeLeavesNoOrphan() {
    receive(3);
    abandon(1);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<Outcome> outcomes =
          transaction.claim(TYPES, 10).stream()
              .filter(message -> !message.orphaned())
              .<Outcome>map(message -> new Outcome.Processed(message.sequence()))
              .toList();
      assertThat(outcomes).hasSize(2);
      transaction.commit(outcomes);
    }
    assertThat(orphans()).isEmpty();
  }

  @Test
  void aReplayedMessageIsNotOrphan() {
    receive(2);
    abandon(2);
    kill("dead");
    store.replayDead(mine(), BY, 0, 10);
    assertThat(orphans()).isEmpty();
  }

  @Test
  void aMessageFromTheQuarantineIsNotOrphan() {
    store.receive(
        endpoint, List.<ValidatedDelivery>of(rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "{}")));
    store.replayQuarantined(mine(), BY, 0, 10, message -> event(id(0), TYPE, "{}"));
    assertThat(orphans()).isEmpty();
  }

  @Test
  void aRunAloneIsNotedAndHoldsTheMessageBack() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    assertThat(store.markCrashRiskAlone(sequence, HOUR)).isTrue();
    assertThat(process()).isEmpty();
    assertThat(store.markCrashRiskAlone(sequence, HOUR)).as("it is not due").isFalse();
    try (WorkTransaction transaction = store.begin(endpoint)) {
      ClaimedMessage alone = transaction.reclaim(List.of(sequence)).get(0);
      assertThat(alone.crashes()).isEqualTo(1);
      assertThat(alone.orphaned()).isTrue();
      transaction.commit(List.of(new Outcome.Retry(sequence, Duration.ZERO, "failed alone")));
    }
    ClaimedMessage after = process().get(0);
    assertThat(after.attempts()).as("it was one attempt").isEqualTo(1);
    assertThat(after.crashes()).isZero();
    assertThat(after.orphaned()).isFalse();
  }

  @Test
  void aMessageThatIsToBeRetriedAloneIsAOrphanThatWasTriedWithOthers() {
    receive(2);
    settle(
        message ->
            new Outcome.Retry(
                message.sequence(), Duration.ZERO, "again", true, AttemptFailure.crash("again")));
    List<ClaimedMessage> after = process();
    assertThat(after).hasSize(2).allMatch(ClaimedMessage::orphaned);
    assertThat(after).extracting(ClaimedMessage::crashes).containsOnly(1);
    assertThat(after).extracting(ClaimedMessage::attempt).containsOnly(2);
  }

  @Test
  void runsAloneThatNeverEndedAreCountedAsAttempts() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    for (int crash = 1; crash <= 4; crash++) { // the first time it runs with others, and is free
      assertThat(store.markCrashRiskAlone(sequence, Duration.ZERO)).isTrue();
    }
    List<ClaimedMessage> messages = kill("it kills the process");
    assertThat(messages).singleElement().matches(ClaimedMessage::orphaned);
    assertThat(messages.get(0).crashes()).isEqualTo(4);
    assertThat(dead()).singleElement().extracting("attempts").isEqualTo(3);
  }

  @Test
  void aNoteThatIsTakenBackLeavesTheMessageAsItWas() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    store.markCrashRiskAlone(sequence, HOUR);
    store.clearCrashRisk(List.of(sequence));
    store.clearCrashRisk(List.of(sequence));
    ClaimedMessage message = process().get(0);
    assertThat(message.crashes()).isZero();
    assertThat(message.attempts()).isZero();
    assertThat(message.orphaned()).isFalse();
  }

  @Test
  void aMessageThatIsGoneOrInAnotherHandIsNotRunAlone() {
    receive(2);
    long sequence;
    try (WorkTransaction transaction = store.begin(endpoint)) {
      sequence = transaction.claim(TYPES, 1).get(0).sequence();
      assertThat(another().markCrashRiskAlone(sequence, HOUR)).isFalse();
    }
    process();
    assertThat(store.markCrashRiskAlone(sequence, HOUR)).isFalse();
    store.clearCrashRisk(List.of(sequence));
    assertThat(process()).isEmpty();
  }

  @Test
  void orphansThatAreNotHandledAfterAllAreDueAgain() {
    receive(2);
    List<Long> sequences = abandon(2).stream().map(ClaimedMessage::sequence).toList();
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.claimDue(sequences)).hasSize(2);
      transaction.markCrashRisk(sequences, HOUR);
      transaction.commit(List.of());
    }
    assertThat(process()).as("held back").isEmpty();
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.claimDue(sequences)).as("not due").isEmpty();
      assertThat(transaction.claimAtRisk(sequences)).hasSize(2);
      transaction.clearCrashRisk(sequences);
      transaction.commit(List.of());
    }
    List<ClaimedMessage> messages = process();
    assertThat(messages).hasSize(2).allMatch(it -> it.crashes() == 0);
  }

  /** Claims this many and ends the transaction without an outcome. */
  private List<ClaimedMessage> abandon(int count) {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, count);
      assertThat(messages).hasSize(count);
      return messages;
    }
  }

  /** Claims everything and returns those that are orphan. */
  private List<UUID> orphans() {
    List<ClaimedMessage> messages = process();
    assertThat(messages).isNotEmpty();
    return ids(messages.stream().filter(ClaimedMessage::orphaned).toList());
  }
}
