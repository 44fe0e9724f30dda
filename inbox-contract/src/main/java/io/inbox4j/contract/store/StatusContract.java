package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.Backlog;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreStatus;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a store says about itself. */
abstract class StatusContract extends ContractPart {

  private static final Duration LONG = Duration.ofMinutes(10);

  private StoreStatus.Waiting waiting() {
    return store.status(Set.of(endpoint), Duration.ofSeconds(5)).endpoints().get(endpoint);
  }

  @Test
  void nothingWaitsAtAnEndpointThatIsEmpty() {
    assertThat(waiting()).isEqualTo(new StoreStatus.Waiting(null, false, null, null, null, null));
  }

  @Test
  void aStoreThatTakesChangesIsNotReadOnly() {
    assertThat(store.status(Set.of(endpoint), Duration.ofSeconds(5)).readOnly()).isFalse();
  }

  @Test
  void whatIsDueWaitsSinceThen() {
    receive(2);
    Duration first = waiting().oldestDue();
    assertThat(first).isGreaterThanOrEqualTo(Duration.ZERO);
    eventually(() -> assertThat(waiting().oldestDue()).isGreaterThan(first.plusMillis(50)));
    process();
    assertThat(waiting().oldestDue()).isNull();
  }

  @Test
  void whatIsDueLaterDoesNotWait() {
    receive(1);
    retry(LONG);
    assertThat(waiting().oldestDue()).isNull();
  }

  @Test
  void whatHasAnOrderingKeyWaitsToo() {
    store.receive(endpoint, List.of(keyed(0)));
    assertThat(waiting().oldestDue()).isGreaterThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void whatIsBehindAMessageOfItsKeyThatIsDueLaterDoesNotWait() {
    store.receive(endpoint, List.of(keyed(0), keyed(1)));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.commit(List.of(new Outcome.Retry(sequence, LONG, "later")));
    }
    assertThat(waiting().oldestDue()).isNull();
  }

  @Test
  void whatIsBehindADeadMessageThatHoldsItsKeyDoesNotWait() {
    store.receive(endpoint, List.of(keyed(0), keyed(1)));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.commit(List.of(new Outcome.Dead(sequence, "broken", true)));
    }
    assertThat(waiting().oldestDue()).isNull();
  }

  private ValidatedDelivery.Event keyed(int n) {
    return keyed(n, null);
  }

  private ValidatedDelivery.Event keyed(int n, @Nullable Instant notBefore) {
    ValidatedDelivery.Event event = event(n);
    return new ValidatedDelivery.Event(
        event.delivery(), event.headers(), event.messageId(), event.type(), "key", notBefore);
  }

  @Test
  void aLeaseThatRanOutIsNamedUntilSomebodyTakesTheMessage() {
    receive(1);
    lease(Duration.ofMillis(1));
    eventually(() -> assertThat(waiting().leaseRanOut()).isTrue());
    lease(LONG);
    assertThat(waiting().leaseRanOut()).isFalse();
    assertThat(waiting().oldestDue()).isNull();
  }

  private void lease(Duration time) {
    eventually(
        () -> {
          try (WorkTransaction transaction = another().begin(endpoint)) {
            List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
            assertThat(messages).isNotEmpty();
            transaction.lease(messages, time);
            transaction.commit(List.of());
          }
        });
  }

  @Test
  void aMessageInFlightAgainAndAgainIsStuckUntilItHasAnOutcome() {
    receive(1);
    lease(Duration.ofMillis(1));
    assertThat(waiting().stuck()).isNull();
    lease(LONG);
    assertThat(waiting().stuck()).as("in flight for the second time").isNull();
    long sequence = orphanTwice();
    assertThat(waiting().stuck()).isEqualTo(new StoreStatus.Stuck(id(1), TYPE, 3));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.reclaim(List.of(sequence));
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
    assertThat(waiting().stuck()).isNull();
  }

  /** Begins with a message twice, as an orphan, without an outcome. */
  private long orphanTwice() {
    store.receive(endpoint, List.of(event(1)));
    long sequence;
    try (WorkTransaction transaction = store.begin(endpoint)) {
      sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.markCrashRisk(List.of(sequence), Duration.ZERO);
      transaction.commit(List.of());
    }
    assertThat(store.markCrashRiskAlone(sequence, LONG)).isTrue();
    return sequence;
  }

  @Test
  void aDeadMessageThatHoldsItsKeyIsNamedUntilItIsGone() {
    store.receive(endpoint, List.of(keyed(0)));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.commit(List.of(new Outcome.Dead(sequence, "broken", true)));
    }
    assertThat(waiting().blockingKey()).isEqualTo(id(0));
    store.discardDead(mine(), BY, 0, 10);
    assertThat(waiting().blockingKey()).isNull();
  }

  @Test
  void messagesThatWaitForOneThatIsNotDueForLongAreTold() {
    Instant soon = Instant.now().plus(StoreStatus.LONG.dividedBy(2));
    store.receive(endpoint, List.of(keyed(0, soon), keyed(1), keyed(2)));
    assertThat(waiting().blocked()).as("it is due soon").isNull();
    Instant late = Instant.parse("2999-01-31T08:00:00Z");
    store.discardPending(mine(), BY, 0, 10);
    store.receive(endpoint, List.of(keyed(3, late)));
    assertThat(waiting().blocked()).as("nothing waits for it").isNull();
    store.receive(endpoint, List.of(keyed(4), keyed(5), keyed(6, late), event(7)));
    assertThat(waiting().blocked()).isEqualTo(new StoreStatus.Blocked(2, id(3), late));
    store.expeditePending(mine(), BY, 0, 1);
    assertThat(waiting().blocked()).as("it goes on").isNull();
  }

  @Test
  void theBacklogIsWhatIsPendingDueOrNot() {
    assertThat(store.backlog(endpoint)).isEqualTo(new Backlog(0, Duration.ZERO));
    receive(2);
    store.receive(endpoint, List.of(keyed(2, Instant.parse("2999-01-31T08:00:00Z"))));
    assertThat(store.backlog(endpoint).pending()).isEqualTo(3);
    eventually(() -> assertThat(store.backlog(endpoint).oldest()).isPositive());
    process();
    assertThat(store.backlog(endpoint)).isEqualTo(new Backlog(1, Duration.ZERO));
    assertThat(store.backlog(endpoint + "-other").pending()).isZero();
  }

  @Test
  void aPauseIsToldWithWhoAndWhy() {
    store.pause(endpoint, BY, "the price list");
    assertThat(waiting().pause().by()).isEqualTo(BY);
    assertThat(waiting().pause().reason()).isEqualTo("the price list");
    store.resume(endpoint);
    assertThat(waiting().pause()).isNull();
  }

  @Test
  void anOpenTransactionThatHasChangedSomethingIsTheOldest() {
    receive(1);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      long sequence = transaction.claim(TYPES, 1).get(0).sequence();
      transaction.markCrashRisk(List.of(sequence), LONG);
      StoreStatus status = store.status(Set.of(endpoint), Duration.ofSeconds(5));
      assertThat(status.transactions().oldest()).isGreaterThanOrEqualTo(Duration.ZERO);
      assertThat(status.transactions().holder()).isNotBlank();
      assertThat(status.transactions().hidden()).isNull();
    }
  }
}
