package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages that are handled in the transaction that stores them. */
abstract class InlineContract extends ContractPart {

  private static final Instant FAR = Instant.parse("2999-01-31T08:00:00Z");

  @Test
  void whatIsReceivedAndHandledIsCommittedInOnePiece() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      assertThat(transaction.receive(List.of(event(0), event(1), event(0))))
          .containsExactly(StoreResult.STORED, StoreResult.STORED, StoreResult.DUPLICATE);
      List<ClaimedMessage> messages = transaction.claimReceived(TYPES);
      assertThat(ids(messages)).isEqualTo(ids(0, 2));
      assertThat(messages).noneMatch(ClaimedMessage::orphaned);
      fixture.effect(transaction, endpoint);
      transaction.commit(List.of(new Outcome.Processed(messages.get(0).sequence())));
    }
    assertThat(fixture.effects()).contains(endpoint);
    assertThat(ids(process())).as("what got no outcome").isEqualTo(ids(1, 1));
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.DUPLICATE);
  }

  @Test
  void nothingOfATransactionThatIsRolledBackIsThere() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.receive(
          List.of(event(0), rejected(QuarantineReason.INVALID_JSON, TYPE, "{nonsense")));
      assertThat(transaction.claimReceived(TYPES)).hasSize(1);
      assertThat(another().listPending(mine(), 10)).as("before the commit").isEmpty();
    }
    assertThat(process()).isEmpty();
    assertThat(store.listQuarantined(mine(), 0, 10)).isEmpty();
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.STORED);
  }

  @Test
  void whatCannotBeHandledNowIsLeftToTheWorkers() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.receive(
          List.of(
              event(0),
              event(id(1), "another-type", "{}"),
              with(event(2), null, FAR),
              redelivered(3)));
      assertThat(ids(transaction.claimReceived(TYPES))).isEqualTo(ids(0, 1));
      transaction.commit(List.of());
    }
    assertThat(store.listPending(mine(), 10)).hasSize(4);
  }

  @Test
  void aMessageOfAKeyIsClaimedOnlyIfNoneOfTheKeyIsBeforeIt() {
    store.receive(endpoint, List.of(with(event(0), "waits", FAR)));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.receive(
          List.of(
              with(event(1), "waits", null),
              with(event(2), "free", null),
              with(event(3), "free", null)));
      assertThat(ids(transaction.claimReceived(TYPES))).isEqualTo(ids(2, 2));
    }
  }

  @Test
  void nobodyElseGetsTheKeyOfWhatIsHandledInline() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.receive(List.of(with(event(0), "key", null)));
      assertThat(transaction.claimReceived(TYPES)).hasSize(1);
      another().receive(endpoint, List.of(with(event(1), "key", null)));
      try (WorkTransaction other = another().begin(endpoint)) {
        assertThat(other.claim(TYPES, 10)).isEmpty();
      }
    }
  }

  @Test
  void nothingIsHandledInlineWhileTheEndpointIsPaused() {
    store.pause(endpoint, BY, "why");
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.receive(List.of(event(0)));
      assertThat(transaction.claimReceived(Set.of(TYPE))).isEmpty();
      transaction.commit(List.of());
    }
    assertThat(store.listPending(mine(), 10)).hasSize(1);
  }

  private ValidatedDelivery redelivered(int n) {
    Delivery first = event(n).delivery();
    return new ValidatedDelivery.Event(
        new Delivery(
            first.messageId(),
            first.type(),
            first.contentType(),
            null,
            null,
            null,
            first.headers(),
            first.body(),
            true),
        null,
        id(n),
        TYPE);
  }

  private static ValidatedDelivery with(
      ValidatedDelivery.Event event, @Nullable String key, @Nullable Instant at) {
    return new ValidatedDelivery.Event(
        event.delivery(), event.headers(), event.messageId(), event.type(), key, at);
  }
}
