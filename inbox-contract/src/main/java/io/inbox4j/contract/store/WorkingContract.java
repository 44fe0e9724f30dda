package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.error.InboxException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

abstract class WorkingContract extends ContractPart {

  @Test
  void claimsTakeUpToTheLimitInOrder() {
    receive(5);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(ids(transaction.claim(TYPES, 3))).isEqualTo(ids(0, 3));
    }
  }

  @Test
  void claimsTakeOnlyTheirOwnEndpointAndTypes() {
    receive(1);
    store.receive(endpoint, List.of(event(id(7), "cancelled", "{}")));
    store.receive(endpoint + "-other", List.of(event(8)));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(ids(transaction.claim(Set.of(TYPE, "never-seen"), 10))).isEqualTo(ids(0, 1));
      assertThat(ids(transaction.claim(Set.of("cancelled"), 10))).isEqualTo(ids(7, 1));
      assertThat(transaction.claim(Set.of(), 10)).isEmpty();
    }
  }

  /** Workers claim in a transaction that may have begun before the message was stored. */
  @Test
  void theLagIsNotNegative() throws Exception {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 1)).isEmpty();
      Thread.sleep(20);
      receive(1);
      assertThat(transaction.claim(TYPES, 1))
          .singleElement()
          .satisfies(it -> assertThat(it.lag().isNegative()).isFalse());
    }
  }

  @Test
  void whereMessagesAreDueIsKnownWithoutClaimingThem() throws Exception {
    assertThat(store.dueAt(List.of(endpoint, "another"))).isEmpty();
    receive(1);
    assertThat(store.dueAt(List.of(endpoint, "another"))).containsExactly(endpoint);
    assertThat(store.dueAt(List.of("another"))).isEmpty();
    settle(it -> new Outcome.Retry(it.sequence(), Duration.ofMillis(300), "again"));
    assertThat(store.dueAt(List.of(endpoint))).isEmpty();
    eventually(() -> assertThat(store.dueAt(List.of(endpoint))).containsExactly(endpoint));
    settle(it -> new Outcome.Processed(it.sequence()));
    assertThat(store.dueAt(List.of(endpoint))).isEmpty();
  }

  @Test
  void aFullClaimSaysThatThereMayBeMore() {
    receive(5);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 3)).hasSize(3);
      assertThat(transaction.mayHaveMore()).isTrue();
    }
    try (WorkTransaction transaction = store.begin(endpoint + "-other")) {
      assertThat(transaction.claim(TYPES, 3)).isEmpty();
      assertThat(transaction.mayHaveMore()).as("where there is nothing").isFalse();
    }
  }

  @Test
  void theTimeInTheDatabaseIsThatOfHandlers() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 1);
      assertThat(transaction.databaseTime()).isZero();
      transaction.savepoint();
      fixture.effect(transaction, endpoint);
      assertThat(transaction.databaseTime()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
    }
  }

  @Test
  void whatOneTransactionHasAnotherDoesNotGet() {
    receive(6);
    try (WorkTransaction first = store.begin(endpoint);
        WorkTransaction second = another().begin(endpoint)) {
      assertThat(ids(first.claim(TYPES, 3))).isEqualTo(ids(0, 3));
      List<ClaimedMessage> others = second.claim(TYPES, 10);
      assertThat(ids(others)).isEqualTo(ids(3, 3));
      assertThat(first.reclaim(List.of(others.get(0).sequence()))).isEmpty();
    }
  }

  @Test
  void workersThatClaimAtTheSameTimeShareTheWork() throws Exception {
    receive(300);
    int workers = 3;
    ExecutorService pool = Executors.newFixedThreadPool(workers);
    CyclicBarrier barrier = new CyclicBarrier(workers);
    List<Future<List<Long>>> results = new ArrayList<>();
    for (int w = 0; w < workers; w++) {
      InboxStore mine = another();
      Callable<List<Long>> worker =
          () -> {
            barrier.await();
            List<Long> done = new ArrayList<>();
            List<ClaimedMessage> batch;
            do {
              try (WorkTransaction transaction = mine.begin(endpoint)) {
                batch = transaction.claim(TYPES, 7);
                transaction.commit(
                    batch.stream()
                        .<Outcome>map(it -> new Outcome.Processed(it.sequence()))
                        .toList());
              }
              batch.forEach(message -> done.add(message.sequence()));
            } while (!batch.isEmpty());
            return done;
          };
      results.add(pool.submit(worker));
    }
    List<Long> all = new ArrayList<>();
    for (Future<List<Long>> result : results) {
      all.addAll(result.get());
    }
    pool.shutdown();
    all.addAll(process().stream().map(ClaimedMessage::sequence).toList());
    assertThat(all).hasSize(300).doesNotHaveDuplicates();
  }

  @Test
  void closingWithoutACommitFreesTheMessagesAndUndoesEffects() {
    receive(3);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 10);
      fixture.effect(transaction, endpoint);
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(ids(process())).isEqualTo(ids(0, 3));
  }

  @Test
  void theSameStoreFindsFreedMessagesAgain() {
    receive(3);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 2);
    }
    eventually(
        () -> {
          try (WorkTransaction transaction = store.begin(endpoint)) {
            assertThat(ids(transaction.claim(TYPES, 10))).isEqualTo(ids(0, 3));
          }
        });
  }

  @Test
  void outcomesAndEffectsAreCommittedInOnePiece() {
    receive(3);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
      fixture.effect(transaction, endpoint);
      transaction.commit(
          List.of(
              new Outcome.Processed(messages.get(0).sequence()),
              new Outcome.Retry(messages.get(1).sequence(), Duration.ZERO, "not yet"),
              new Outcome.Dead(messages.get(2).sequence(), "never")));
    }
    assertThat(fixture.effects()).contains(endpoint);
    assertThat(dead()).hasSize(1);
    DeadMessage dead = dead().get(0);
    assertThat(dead.messageId()).isEqualTo(id(2));
    assertThat(dead.error()).isEqualTo("never");
    assertThat(dead.attempts()).isEqualTo(1);
    List<ClaimedMessage> left = process();
    assertThat(ids(left)).isEqualTo(ids(1, 1));
    assertThat(left.get(0).attempts()).isEqualTo(1);
    assertThat(process()).isEmpty();
  }

  @Test
  void aRetryIsDueLaterAndCountsItsAttempts() {
    receive(1);
    long sequence = retry(Duration.ofHours(1)).get(0).sequence();
    assertThat(process()).isEmpty();
    try (WorkTransaction transaction = store.begin(endpoint)) {
      ClaimedMessage notYet = transaction.reclaim(List.of(sequence)).get(0);
      assertThat(notYet.attempts()).isEqualTo(1);
      transaction.commit(List.of(new Outcome.Retry(sequence, Duration.ofMillis(200), "again")));
    }
    eventually(() -> assertThat(process()).singleElement().extracting("attempts").isEqualTo(2));
  }

  @Test
  void laterMessagesDoNotWaitForARetry() {
    receive(1);
    retry(Duration.ofHours(1));
    store.receive(endpoint, List.of(event(1)));
    assertThat(ids(process())).isEqualTo(ids(1, 1));
  }

  @Test
  void aClaimOfAMessageThatIsGoneIsEmpty() {
    receive(1);
    long sequence = process().get(0).sequence();
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.reclaim(List.of(sequence))).isEmpty();
      assertThat(transaction.reclaim(List.of(Long.MAX_VALUE))).isEmpty();
    }
  }

  @Test
  void anOutcomeForAMessageThatIsNotThereUndoesTheBatch() {
    receive(2);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
      fixture.effect(transaction, endpoint);
      assertThatThrownBy(
              () ->
                  transaction.commit(
                      List.of(
                          new Outcome.Processed(messages.get(0).sequence()),
                          new Outcome.Processed(Long.MAX_VALUE))))
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("1 of 2 messages")
          .hasMessageContaining(endpoint);
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(ids(process())).isEqualTo(ids(0, 2));
  }

  @Test
  void whatWasKeptStaysAndWhatWasUndoneGoes() {
    receive(2);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
      transaction.savepoint();
      fixture.effect(transaction, endpoint + " kept");
      transaction.releaseSavepoint();
      transaction.savepoint();
      fixture.effect(transaction, endpoint + " undone");
      transaction.rollbackToSavepoint();
      transaction.savepoint();
      fixture.effect(transaction, endpoint + " kept after an undo");
      transaction.releaseSavepoint();
      transaction.commit(
          messages.stream().<Outcome>map(it -> new Outcome.Processed(it.sequence())).toList());
    }
    assertThat(fixture.effects())
        .contains(endpoint + " kept", endpoint + " kept after an undo")
        .doesNotContain(endpoint + " undone");
    assertThat(process()).isEmpty();
  }

  @Test
  void whatIsWrittenCommitsWithTheOutcomesOrIsUndone() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.savepoint();
      transaction.write(List.of(fixture.writeOf(endpoint + " undone")));
      transaction.rollbackToSavepoint();
      transaction.savepoint();
      transaction.write(List.of());
      transaction.write(
          List.of(fixture.writeOf(endpoint + " one"), fixture.writeOf(endpoint + " two")));
      transaction.releaseSavepoint();
      assertThat(fixture.effects()).doesNotContain(endpoint + " one");
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
    assertThat(fixture.effects())
        .contains(endpoint + " one", endpoint + " two")
        .doesNotContain(endpoint + " undone");
  }

  @Test
  void nothingIsWrittenAfterASwallowedError() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.savepoint();
      fixture.failAndSwallow(transaction);
      assertThatThrownBy(() -> transaction.write(List.of(fixture.writeOf(endpoint))))
          .isInstanceOf(AbortedTransactionException.class)
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.ABORTED));
      transaction.rollbackToSavepoint();
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
  }

  @Test
  void anUndoKeepsTheClaims() {
    receive(2);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 10);
      transaction.savepoint();
      fixture.failAndSwallow(transaction);
      transaction.rollbackToSavepoint();
      assertThat(process()).isEmpty();
    }
  }

  @Test
  void aSwallowedErrorIsFoundWhenItsPartIsKept() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.savepoint();
      fixture.effect(transaction, endpoint);
      fixture.failAndSwallow(transaction);
      assertThatThrownBy(transaction::releaseSavepoint)
          .isInstanceOf(AbortedTransactionException.class)
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.ABORTED));
      transaction.rollbackToSavepoint();
      transaction.commit(List.of(new Outcome.Dead(sequence, "swallowed")));
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(dead()).hasSize(1);
  }

  @Test
  void aSwallowedErrorIsFoundAtTheCommitAtTheLatest() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      fixture.effect(transaction, endpoint);
      fixture.failAndSwallow(transaction);
      assertThatThrownBy(() -> transaction.commit(List.of(new Outcome.Processed(sequence))))
          .isInstanceOf(AbortedTransactionException.class)
          .hasMessageContaining("swallowed");
      assertThat(transaction.isLost()).isFalse();
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(process()).hasSize(1);
  }

  @Test
  void aLostConnectionIsTheInfrastructuresFault() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      fixture.effect(transaction, endpoint);
      fixture.lose(transaction);
      assertThat(transaction.isLost()).as("before anybody notices").isFalse();
      assertThatThrownBy(() -> transaction.commit(List.of(new Outcome.Processed(sequence))))
          .isInstanceOf(StoreUnavailableException.class)
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.INFRASTRUCTURE));
      assertThat(transaction.isLost()).isTrue();
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(process()).hasSize(1);
  }

  @Test
  void aHandlersOwnFailureIsTheMessagesFault() {
    assertThat(store.failureKind(new IllegalStateException("x"))).isEqualTo(FailureKind.MESSAGE);
    assertThat(store.failureKind(new StackOverflowError())).isEqualTo(FailureKind.MESSAGE);
  }

  @Test
  void aTransactionSaysWhatItCanBeUnwrappedTo() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThatThrownBy(() -> transaction.unwrap(Thread.class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.Thread")
          .hasMessageContaining("expected");
    }
  }

  @Test
  void aPostponedMessageIsDueLaterAndNoAttemptIsUsedUp() {
    receive(2);
    Instant far = Instant.parse("2999-01-31T08:00:00Z");
    List<Postpone.When> times =
        List.of(new Postpone.When.At(far), new Postpone.When.After(Duration.ZERO));
    List<ClaimedMessage> messages =
        settle(
            it ->
                new Outcome.Postponed(
                    it.sequence(), times.get(it.messageId().equals(id(0)) ? 0 : 1)));
    assertThat(messages).hasSize(2);
    List<ClaimedMessage> after = process();
    assertThat(ids(after)).isEqualTo(ids(1, 1));
    assertThat(after.get(0).attempts()).isZero();
    assertThat(store.listPending(mine(), 10)).singleElement().extracting("dueAt").isEqualTo(far);
  }

  @Test
  void aBrokenDeferredConstraintIsFoundByACheckAndCanBeUndone() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.savepoint();
      fixture.effect(transaction, endpoint);
      transaction.check();
      fixture.violateDeferred(transaction);
      assertThatThrownBy(transaction::check)
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.MESSAGE));
      transaction.rollbackToSavepoint();
      transaction.commit(List.of(new Outcome.Dead(sequence, "deferred")));
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(dead()).hasSize(1);
  }

  @Test
  void aBrokenDeferredConstraintFailsTheCommitAtTheLatest() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      fixture.effect(transaction, endpoint);
      fixture.violateDeferred(transaction);
      assertThatThrownBy(() -> transaction.commit(List.of(new Outcome.Processed(sequence))))
          .isInstanceOf(RuntimeException.class);
    }
    assertThat(fixture.effects()).doesNotContain(endpoint);
    assertThat(process()).hasSize(1);
  }

  @Test
  void aTransactionThatAHandlerEndedIsNotUsedAnyMore() {
    receive(1);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.claim(TYPES, 1);
      transaction.savepoint();
      assertThat(transaction.isEnded()).isFalse();
      fixture.effect(transaction, endpoint);
      fixture.end(transaction);
      assertThat(transaction.isEnded()).isTrue();
      assertThatThrownBy(transaction::releaseSavepoint)
          .isInstanceOf(TransactionEndedException.class);
    }
    assertThat(fixture.effects()).contains(endpoint);
    assertThat(ids(process())).isEqualTo(ids(0, 1));
  }

  @Test
  void anExceptionThatIsNotTheDriversHasNoNamesInIt() {
    assertThat(store.namesIn(new IllegalStateException("secret"))).isEmpty();
  }
}
