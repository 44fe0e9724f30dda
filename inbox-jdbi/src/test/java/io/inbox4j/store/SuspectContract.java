package io.inbox4j.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.QuarantineReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A message is suspect if a transaction had it in hand and ended without an outcome for it. */
abstract class SuspectContract extends ContractPart {

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void aNewMessageIsNotSuspect() {
    receive(3);
    assertThat(suspects()).isEmpty();
  }

  @Test
  void exactlyWhatWasInHandWhenATransactionEndedIsSuspect() {
    receive(4);
    abandon(2);
    assertThat(suspects()).isEqualTo(ids(0, 2));
  }

  @Test
  void exactlyWhatWasInHandWhenTheConnectionWasLostIsSuspect() {
    receive(4);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 3);
      fixture.effect(transaction, endpoint);
      fixture.lose(transaction);
    }
    assertThat(suspects()).isEqualTo(ids(0, 3));
  }

  @Test
  void aSuspectStaysSuspectUntilItGetsAnOutcome() {
    receive(2);
    abandon(1);
    abandon(1);
    assertThat(suspects()).isEqualTo(ids(0, 1));
  }

  @Test
  void aRetriedMessageIsNotSuspectHoweverOften() {
    receive(2);
    for (int round = 1; round <= 3; round++) {
      List<StoredMessage> messages = retry(Duration.ZERO);
      assertThat(messages).hasSize(2).noneMatch(StoredMessage::suspect);
    }
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aRetriedMessageIsNotSuspectAfterMarksThatWereKeptAndUndone() {
    receive(3);
    for (int round = 1; round <= 2; round++) {
      retryBetweenMarks();
    }
    assertThat(suspects()).isEmpty();
  }

  private void retryBetweenMarks() {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<StoredMessage> messages = transaction.claim(TYPES, 10);
      assertThat(messages).hasSize(3).noneMatch(StoredMessage::suspect);
      List<Outcome> outcomes = new ArrayList<>();
      for (StoredMessage message : messages) {
        transaction.mark();
        fixture.effect(transaction, "effect");
        transaction.keep();
        transaction.mark();
        fixture.failAndSwallow(transaction);
        transaction.undo();
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
      transaction.mark();
      fixture.effect(transaction, "effect");
      transaction.keep();
      transaction.mark();
      fixture.failAndSwallow(transaction);
      transaction.undo();
      transaction.mark();
    }
    assertThat(suspects()).isEqualTo(ids(0, 2));
  }

  @Test
  void aRetriedMessageIsSuspectAfterALaterTransactionEnded() {
    receive(2);
    retry(Duration.ZERO);
    abandon(1);
    assertThat(suspects()).isEqualTo(ids(0, 1));
  }

  @Test
  void aSuspectThatWasRetriedIsNotSuspectAnyMore() {
    receive(2);
    abandon(2);
    assertThat(retry(Duration.ZERO)).allMatch(StoredMessage::suspect);
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aCommitThatLeavesAMessageWithoutAnOutcomeLeavesNoSuspect() {
    receive(3);
    abandon(1);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<Outcome> outcomes =
          transaction.claim(TYPES, 10).stream()
              .filter(message -> !message.suspect())
              .<Outcome>map(message -> new Outcome.Processed(message.sequence()))
              .toList();
      assertThat(outcomes).hasSize(2);
      transaction.commit(outcomes);
    }
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aReplayedMessageIsNotSuspect() {
    receive(2);
    abandon(2);
    kill("dead");
    store.replayDead(mine(), BY, 0, 10);
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aMessageFromTheQuarantineIsNotSuspect() {
    store.receive(endpoint, List.<Arrival>of(rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "{}")));
    store.replayQuarantined(mine(), BY, 0, 10, message -> event(id(0), TYPE, "{}"));
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aRunAloneIsNotedAndHoldsTheMessageBack() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    assertThat(store.noteAlone(sequence, HOUR)).isTrue();
    assertThat(process()).isEmpty();
    assertThat(store.noteAlone(sequence, HOUR)).as("it is not due").isFalse();
    try (WorkTransaction transaction = store.begin(endpoint)) {
      StoredMessage alone = transaction.reclaim(List.of(sequence)).get(0);
      assertThat(alone.crashes()).isEqualTo(1);
      assertThat(alone.suspect()).isTrue();
      transaction.commit(List.of(new Outcome.Retry(sequence, Duration.ZERO, "failed alone")));
    }
    StoredMessage after = process().get(0);
    assertThat(after.attempts()).as("it was one attempt").isEqualTo(1);
    assertThat(after.crashes()).isZero();
    assertThat(after.suspect()).isFalse();
  }

  @Test
  void aMessageThatIsToBeRetriedAloneIsASuspectThatWasTriedWithOthers() {
    receive(2);
    settle(message -> new Outcome.Retry(message.sequence(), Duration.ZERO, "again", true));
    List<StoredMessage> after = process();
    assertThat(after).hasSize(2).allMatch(StoredMessage::suspect);
    assertThat(after).extracting(StoredMessage::crashes).containsOnly(1);
    assertThat(after).extracting(StoredMessage::attempt).containsOnly(2);
  }

  @Test
  void runsAloneThatNeverEndedAreCountedAsAttempts() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    for (int crash = 1; crash <= 4; crash++) { // the first time it runs with others, and is free
      assertThat(store.noteAlone(sequence, Duration.ZERO)).isTrue();
    }
    List<StoredMessage> messages = kill("it kills the process");
    assertThat(messages).singleElement().matches(StoredMessage::suspect);
    assertThat(messages.get(0).crashes()).isEqualTo(4);
    assertThat(dead()).singleElement().extracting("attempts").isEqualTo(3);
  }

  @Test
  void aNoteThatIsTakenBackLeavesTheMessageAsItWas() {
    receive(1);
    long sequence = abandon(1).get(0).sequence();
    store.noteAlone(sequence, HOUR);
    store.takeBack(List.of(sequence));
    store.takeBack(List.of(sequence));
    StoredMessage message = process().get(0);
    assertThat(message.crashes()).isZero();
    assertThat(message.attempts()).isZero();
    assertThat(message.suspect()).isFalse();
  }

  @Test
  void aMessageThatIsGoneOrInAnotherHandIsNotRunAlone() {
    receive(2);
    long sequence;
    try (WorkTransaction transaction = store.begin(endpoint)) {
      sequence = transaction.claim(TYPES, 1).get(0).sequence();
      assertThat(another().noteAlone(sequence, HOUR)).isFalse();
    }
    process();
    assertThat(store.noteAlone(sequence, HOUR)).isFalse();
    store.takeBack(List.of(sequence));
    assertThat(process()).isEmpty();
  }

  /** Claims this many and ends the transaction without an outcome. */
  private List<StoredMessage> abandon(int count) {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<StoredMessage> messages = transaction.claim(TYPES, count);
      assertThat(messages).hasSize(count);
      return messages;
    }
  }

  /** Claims everything and returns those that are suspect. */
  private List<UUID> suspects() {
    List<StoredMessage> messages = process();
    assertThat(messages).isNotEmpty();
    return ids(messages.stream().filter(StoredMessage::suspect).toList());
  }
}
