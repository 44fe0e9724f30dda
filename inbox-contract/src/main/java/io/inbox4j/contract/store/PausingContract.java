package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.Pause;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Endpoints whose messages are not handled for a while. */
abstract class PausingContract extends ContractPart {

  @Test
  void nothingOfAPausedEndpointIsClaimedButEverythingIsStored() {
    store.pause(endpoint, BY, "the price list");
    receive(1);
    ValidatedDelivery.Event event = event(1);
    store.receive(
        endpoint,
        List.of(
            new ValidatedDelivery.Event(
                event.delivery(), null, event.messageId(), TYPE, "key", null)));
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 10)).isEmpty();
      assertThat(transaction.claimFirstOfKeys(TYPES, 10)).isEmpty();
    }
    store.resume(endpoint);
    try (WorkTransaction transaction = another().begin(endpoint)) {
      assertThat(transaction.claim(TYPES, 10)).hasSize(2);
    }
  }

  @Test
  void aPauseIsKnownToEverybodyWithWhoAndWhyUntilItEnds() {
    assertThat(store.pauseOf(endpoint)).isNull();
    store.pause(endpoint, BY, "the price list");
    Pause pause = another().pauseOf(endpoint);
    assertThat(pause.by()).isEqualTo(BY);
    assertThat(pause.reason()).isEqualTo("the price list");
    assertThat(another().pauseOf(endpoint + "-other")).isNull();
    store.pause(endpoint, "bert", "me too");
    assertThat(store.pauseOf(endpoint)).as("a pause of a paused endpoint").isEqualTo(pause);
    another().resume(endpoint);
    assertThat(store.pauseOf(endpoint)).isNull();
    store.resume(endpoint);
  }
}
