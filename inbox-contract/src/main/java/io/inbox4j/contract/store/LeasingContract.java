package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Messages that are handled outside a transaction, under a lease. */
abstract class LeasingContract extends ContractPart {

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(1);

  @Test
  void aLeasedMessageIsNobodyElsesUntilItHasItsOutcome() {
    receive(2);
    List<Lease> leases = lease(LONG);
    assertThat(process()).isEmpty();
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.claimLeased(leases)).containsExactlyInAnyOrderElementsOf(leases);
      fixture.effect(transaction, endpoint);
      transaction.commit(
          leases.stream().<Outcome>map(it -> new Outcome.Processed(it.sequence())).toList());
    }
    assertThat(fixture.effects()).contains(endpoint);
    assertThat(store.listPending(mine(), 10)).isEmpty();
  }

  @Test
  void leasesComeInTheOrderOfTheirMessages() {
    receive(3);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> messages = new ArrayList<>(transaction.claim(TYPES, 10));
      messages.sort((a, b) -> Long.compare(b.sequence(), a.sequence()));
      assertThat(transaction.lease(messages, LONG))
          .extracting(Lease::sequence)
          .containsExactlyElementsOf(messages.stream().map(ClaimedMessage::sequence).toList());
    }
  }

  @Test
  void aMessageWhoseLeaseExpiredIsDueAgainAndOrphaned() {
    receive(1);
    lease(SHORT);
    eventually(
        () -> assertThat(process()).singleElement().matches(ClaimedMessage::orphaned, "orphaned"));
  }

  @Test
  void anExpiredLeaseHoldsUntilAnotherWorkerTakesTheMessage() {
    receive(1);
    List<Lease> expired = lease(SHORT);
    List<Lease> mine = new ArrayList<>();
    eventually(() -> assertThat(store.renew(expired, SHORT)).isEqualTo(Set.copyOf(expired)));
    eventually(
        () -> {
          mine.addAll(lease(LONG));
          assertThat(mine).hasSize(1);
        });
    assertThat(mine.get(0)).isNotEqualTo(expired.get(0));
    assertThat(store.renew(expired, LONG)).isEmpty();
    store.release(expired);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.held(expired)).isEmpty();
      assertThat(transaction.claimLeased(expired)).isEmpty();
      assertThat(transaction.held(mine)).containsExactlyElementsOf(mine);
    }
  }

  @Test
  void aRenewedLeaseHoldsForTheNewTime() {
    receive(1);
    List<Lease> leases = lease(SHORT);
    assertThat(store.renew(leases, LONG)).containsExactlyElementsOf(leases);
    assertThat(process()).isEmpty();
  }

  @Test
  void aReleasedMessageIsDueAtOnceAndNotOrphaned() {
    receive(1);
    store.release(lease(LONG));
    ClaimedMessage message = process().get(0);
    assertThat(message.orphaned()).isFalse();
    assertThat(message.attempts()).isZero();
    assertThat(message.crashes()).isZero();
  }

  @Test
  void aLeaseIsHeldWhileItsMessageIsLockedButClaimedByNobodyElse() {
    receive(1);
    List<Lease> leases = lease(LONG);
    try (WorkTransaction finishing = store.begin(endpoint);
        WorkTransaction other = another().begin(endpoint)) {
      assertThat(finishing.claimLeased(leases)).hasSize(1);
      assertThat(other.held(leases)).containsExactlyElementsOf(leases);
      assertThat(other.claimLeased(leases)).isEmpty();
    }
  }

  @Test
  void aLeaseThatIsRolledBackWasNeverThere() {
    receive(1);
    List<Lease> leases;
    try (WorkTransaction transaction = store.begin(endpoint)) {
      leases = transaction.lease(transaction.claim(TYPES, 1), LONG);
    }
    assertThat(store.renew(leases, LONG)).isEmpty();
    assertThat(process()).hasSize(1);
  }

  @Test
  void anOrphanThatIsLeasedIsMarkedAsACrashRisk() {
    receive(1);
    try (WorkTransaction dying = another().begin(endpoint)) {
      assertThat(dying.claim(TYPES, 1)).hasSize(1);
    }
    lease(SHORT);
    eventually(
        () -> assertThat(process()).singleElement().matches(it -> it.crashes() == 1, "one crash"));
  }

  /** Claims all that is due, and leases it. */
  private List<Lease> lease(Duration time) {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 10);
      List<Lease> leases = messages.isEmpty() ? List.of() : transaction.lease(messages, time);
      transaction.commit(List.of());
      return leases;
    }
  }
}
