package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Action;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.OperatorStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages that wait, and what somebody does about it. */
abstract class ExpeditingContract extends ContractPart {

  private static final Instant FAR = Instant.parse("2999-01-31T08:00:00Z");
  private static final Duration LONG = Duration.ofMinutes(10);

  @Test
  void whatIsPendingIsListedInArrivalOrderWithWhenItIsDue() {
    store.receive(endpoint, List.of(event(0), delayed(1, "key")));
    List<PendingMessage> listed = store.listPending(mine(), 10);
    assertThat(listed).extracting(PendingMessage::messageId).isEqualTo(ids(0, 2));
    assertThat(listed.get(1).dueAt()).isEqualTo(FAR);
    assertThat(listed.get(1).orderingKey()).isEqualTo("key");
    assertThat(listed.get(0).dueAt()).isEqualTo(listed.get(0).receivedAt());
    assertThat(store.listPending(mine(), 1)).hasSize(1);
    retry(LONG);
    assertThat(store.listPending(mine().text("again"), 10))
        .singleElement()
        .satisfies(it -> assertThat(it.messageId()).isEqualTo(id(0)))
        .satisfies(it -> assertThat(it.attempts()).isEqualTo(1))
        .satisfies(it -> assertThat(it.error()).isEqualTo("again"));
  }

  @Test
  void whatIsExpeditedIsDueNowAndItIsRecordedWhoDidIt() {
    store.receive(endpoint, List.of(event(0), delayed(1, null)));
    OperatorStore.PendingPage page = store.expeditePending(mine(), BY, 0, 10);
    assertThat(page.changed()).extracting(PendingMessage::messageId).containsExactly(id(1));
    assertThat(page.seen()).as("what is due is not meant").isEqualTo(1);
    assertThat(page.last()).isEqualTo(page.changed().get(0).sequence());
    assertThat(process()).hasSize(2);
    assertThat(store.interventions(Origin.PENDING, mine(), 10))
        .singleElement()
        .satisfies(it -> assertThat(it.action()).isEqualTo(Action.EXPEDITE))
        .satisfies(it -> assertThat(it.messageId()).isEqualTo(id(1).toString()))
        .satisfies(it -> assertThat(it.by()).isEqualTo(BY))
        .satisfies(it -> assertThat(it.reason()).isEqualTo("due at 2999-01-31T08:00:00Z"));
  }

  @Test
  void whatWaitsToBeTriedAgainCanBeExpeditedAndKeepsItsAttempts() {
    receive(1);
    retry(LONG);
    assertThat(store.expeditePending(mine(), BY, 0, 10).changed()).hasSize(1);
    assertThat(kill("broken")).hasSize(1);
    assertThat(dead().get(0).attempts()).isEqualTo(2);
    assertThat(store.interventions(Origin.PENDING, mine(), 10).get(0).reason()).endsWith(": again");
  }

  @Test
  void whatIsDiscardedIsNotHandledAndItsDuplicatesStayOut() {
    store.receive(endpoint, List.of(event(0), delayed(1, null)));
    OperatorStore.PendingPage page = store.discardPending(mine(), BY, 0, 10);
    assertThat(page.changed()).extracting(PendingMessage::messageId).isEqualTo(ids(0, 2));
    assertThat(store.listPending(mine(), 10)).isEmpty();
    assertThat(store.receive(endpoint, List.of(event(0), event(1))))
        .containsExactly(StoreResult.DUPLICATE, StoreResult.DUPLICATE);
    assertThat(process()).isEmpty();
    assertThat(store.interventions(Origin.PENDING, mine(), 10))
        .extracting(Intervention::action)
        .containsExactly(Action.DISCARD, Action.DISCARD);
  }

  @Test
  void aKeyGoesOnWhenTheMessageThatItWaitsForIsDiscarded() {
    store.receive(endpoint, List.of(delayed(0, "key"), keyed(1, "key")));
    assertThat(claim()).isEmpty();
    store.discardPending(mine().sequence(first()), BY, 0, 10);
    assertThat(claim()).containsExactly(id(1));
  }

  @Test
  void aKeyKeepsItsOrderWhenTheMessageThatItWaitsForIsExpedited() {
    store.receive(endpoint, List.of(delayed(0, "key"), keyed(1, "key")));
    store.expeditePending(mine().sequence(first()), BY, 0, 10);
    assertThat(claim()).containsExactly(id(0), id(1));
  }

  @Test
  void aFilterChoosesWhatIsChanged() {
    List<Function<MessageFilter, OperatorStore.PendingPage>> changes =
        List.of(
            filter -> store.expeditePending(filter, BY, 0, 10),
            filter -> store.discardPending(filter, BY, 0, 10));
    store.receive(endpoint, List.of(delayed(0, null)));
    for (Function<MessageFilter, OperatorStore.PendingPage> change : changes) {
      assertThat(change.apply(mine().types(Set.of("cancelled"))).changed()).isEmpty();
      assertThat(change.apply(mine().olderThan(Duration.ofHours(1))).changed()).isEmpty();
      assertThat(change.apply(mine().text("again")).changed()).isEmpty();
      assertThat(change.apply(mine().sequence(first() + 1)).changed()).isEmpty();
      assertThat(change.apply(MessageFilter.all().endpoint("another")).changed()).isEmpty();
      assertThat(change.apply(mine().types(TYPES).olderThan(Duration.ZERO)).changed()).hasSize(1);
    }
  }

  @Test
  void messagesAreChangedInPages() {
    store.receive(endpoint, List.of(delayed(0, null), delayed(1, null), delayed(2, null)));
    OperatorStore.PendingPage one = store.expeditePending(mine(), BY, 0, 2);
    OperatorStore.PendingPage two = store.expeditePending(mine(), BY, one.last(), 2);
    assertThat(one.changed()).extracting(PendingMessage::messageId).isEqualTo(ids(0, 2));
    assertThat(one.seen()).isEqualTo(2);
    assertThat(two.changed()).extracting(PendingMessage::messageId).isEqualTo(ids(2, 1));
    assertThat(two.seen()).isEqualTo(1);
    assertThat(store.expeditePending(mine(), BY, 0, 2).seen()).isZero();
  }

  @Test
  void whatAWorkerHasClaimedIsLeftAlone() {
    receive(2);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      ClaimedMessage claimed = transaction.claim(TYPES, 1).get(0);
      OperatorStore.PendingPage page = store.discardPending(mine(), BY, 0, 10);
      assertThat(page.seen()).isEqualTo(2);
      assertThat(page.changed()).extracting(PendingMessage::messageId).containsExactly(id(1));
      transaction.commit(List.of(new Outcome.Processed(claimed.sequence())));
    }
    assertThat(store.listPending(mine(), 10)).isEmpty();
  }

  @Test
  void whatAWorkerHasLeasedIsLeftAlone() {
    receive(1);
    List<Lease> leases;
    try (WorkTransaction transaction = another().begin(endpoint)) {
      leases = transaction.lease(transaction.claim(TYPES, 1), LONG);
      transaction.commit(List.of());
    }
    assertLeftAlone();
    assertThat(store.renew(leases, LONG)).containsExactlyElementsOf(leases);
  }

  @Test
  void whatIsAboutToRunAloneIsLeftAlone() {
    receive(1);
    long sequence = first();
    try (WorkTransaction transaction = another().begin(endpoint)) {
      transaction.claim(TYPES, 1);
      transaction.markCrashRisk(List.of(sequence), Duration.ZERO);
      transaction.commit(List.of());
    }
    assertThat(store.markCrashRiskAlone(sequence, LONG)).isTrue();
    assertLeftAlone();
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.reclaim(List.of(sequence))).hasSize(1);
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
  }

  private void assertLeftAlone() {
    for (OperatorStore.PendingPage page :
        List.of(
            store.expeditePending(mine(), BY, 0, 10), store.discardPending(mine(), BY, 0, 10))) {
      assertThat(page.seen()).isEqualTo(1);
      assertThat(page.changed()).isEmpty();
    }
    assertThat(store.interventions(Origin.PENDING, mine(), 10)).isEmpty();
  }

  private long first() {
    return store.listPending(mine(), 1).get(0).sequence();
  }

  private List<UUID> claim() {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<UUID> claimed = ids(transaction.claim(TYPES, 10));
      transaction.commit(List.of());
      return claimed;
    }
  }

  private ValidatedDelivery.Event delayed(int n, @Nullable String key) {
    return with(event(n), key, FAR);
  }

  private ValidatedDelivery.Event keyed(int n, String key) {
    return with(event(n), key, null);
  }

  private static ValidatedDelivery.Event with(
      ValidatedDelivery.Event event, @Nullable String key, @Nullable Instant at) {
    return new ValidatedDelivery.Event(
        event.delivery(), event.headers(), event.messageId(), event.type(), key, at);
  }
}
