package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

abstract class ReceivingContract extends ContractPart {

  @Test
  void messagesAreKeptInTheOrderTheyCame() {
    List<ValidatedDelivery> batch = new ArrayList<>();
    for (int n = 0; n < 100; n++) {
      batch.add(event(n));
    }
    Collections.shuffle(batch);
    store.receive(endpoint, batch);
    List<UUID> came = batch.stream().map(it -> ((ValidatedDelivery.Event) it).messageId()).toList();
    assertThat(ids(process())).isEqualTo(came);
  }

  @Test
  void everythingThatCameIsThereForTheHandler() {
    ValidatedDelivery.Event event =
        new ValidatedDelivery.Event(
            delivery("order-7", TYPE, "{\"ü\":1}"), "{\"h\":\"v\"}", id(1), TYPE);
    store.receive(endpoint, List.of(event));
    ClaimedMessage message = process().get(0);
    assertThat(message.messageId()).isEqualTo(id(1));
    assertThat(message.type()).isEqualTo(TYPE);
    assertThat(message.contentType()).isEqualTo("application/json");
    assertThat(message.body()).isEqualTo("{\"ü\":1}".getBytes(StandardCharsets.UTF_8));
    assertThat(message.headers()).isEqualTo("{\"h\":\"v\"}");
    assertThat(message.correlationId()).isEqualTo("correlation");
    assertThat(message.source()).isEqualTo("shop");
    assertThat(message.redelivered()).isFalse();
    assertThat(message.attempts()).isZero();
    assertThat(message.crashes()).isZero();
    assertThat(message.lag().isNegative()).isFalse();
    assertThat(message.toString()).doesNotContain("ü");
  }

  @Test
  void nothingToStoreIsNothingDone() {
    assertThat(store.receive(endpoint, List.of())).isEmpty();
  }

  @Test
  void aSecondDeliveryOfTheSameMessageChangesNothing() {
    receive(3);
    assertThat(store.receive(endpoint, List.of(event(0), event(3), event(2))))
        .containsExactly(StoreResult.DUPLICATE, StoreResult.STORED, StoreResult.DUPLICATE);
    assertThat(ids(process())).isEqualTo(ids(0, 4));
    assertThat(quarantined()).isEmpty();
  }

  @Test
  void aSecondDeliveryWithinABatchChangesNothing() {
    assertThat(store.receive(endpoint, List.of(event(0), event(1), event(0), event(0))))
        .containsExactly(
            StoreResult.STORED, StoreResult.STORED, StoreResult.DUPLICATE, StoreResult.DUPLICATE);
    assertThat(ids(process())).isEqualTo(ids(0, 2));
  }

  @Test
  void aMessageThatWasHandledOrGivenUpOnIsNotTakenAgain() {
    receive(1);
    process();
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.DUPLICATE);
    store.receive(endpoint, List.of(event(1)));
    kill("no");
    assertThat(store.receive(endpoint, List.of(event(1)))).containsExactly(StoreResult.DUPLICATE);
    assertThat(process()).isEmpty();
  }

  @Test
  void theSameIdOnTwoEndpointsIsTwoMessages() {
    String other = endpoint + "-other";
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.STORED);
    assertThat(store.receive(other, List.of(event(0)))).containsExactly(StoreResult.STORED);
    assertThat(ids(process())).isEqualTo(ids(0, 1));
    try (WorkTransaction transaction = another().begin(other)) {
      assertThat(ids(transaction.claim(TYPES, 10))).isEqualTo(ids(0, 1));
    }
  }

  @Test
  void theSameIdWithAnotherBodyOrTypeIsPutAsideOnceHoweverOftenItComes() {
    receive(1);
    ValidatedDelivery otherBody = event(id(0), TYPE, "{\"n\":99}");
    ValidatedDelivery otherType = event(id(0), "cancelled", "{\"n\":0}");
    for (int i = 0; i < 3; i++) {
      assertThat(store.receive(endpoint, List.of(otherBody, event(0), otherType, otherBody)))
          .containsExactly(
              StoreResult.CONFLICT,
              StoreResult.DUPLICATE,
              StoreResult.CONFLICT,
              StoreResult.CONFLICT);
    }
    assertThat(quarantined())
        .extracting(QuarantinedMessage::reason)
        .containsExactly(QuarantineReason.ID_CONFLICT, QuarantineReason.ID_CONFLICT);
    assertThat(quarantined().get(0).detail()).contains(id(0).toString());
    assertThat(quarantined().get(0).delivery().body())
        .isEqualTo("{\"n\":99}".getBytes(StandardCharsets.UTF_8));
    assertThat(process()).hasSize(1);
  }

  @Test
  void withinABatchTheFirstOfAnIdIsStoredAndAnotherBodyIsPutAside() {
    assertThat(store.receive(endpoint, List.of(event(0), event(id(0), TYPE, "{}"))))
        .containsExactly(StoreResult.STORED, StoreResult.CONFLICT);
    assertThat(process().get(0).body()).isEqualTo(event(0).delivery().body());
    assertThat(quarantined()).hasSize(1);
  }

  @Test
  void whatIsNoEventIsPutAsideOnceWithItsBytesAndNothingElseIsHeldUp() {
    ValidatedDelivery bad = rejected(QuarantineReason.INVALID_JSON, TYPE, "{nonsense");
    for (int i = 0; i < 2; i++) {
      store.receive(endpoint, List.of(bad, event(0), bad));
    }
    assertThat(store.receive(endpoint, List.of(event(0), bad)))
        .containsExactly(StoreResult.DUPLICATE, StoreResult.QUARANTINED);
    List<QuarantinedMessage> quarantined = quarantined();
    assertThat(quarantined).hasSize(1);
    assertThat(quarantined.get(0).reason()).isEqualTo(QuarantineReason.INVALID_JSON);
    assertThat(quarantined.get(0).detail()).isEqualTo("why {nonsense");
    assertThat(quarantined.get(0).delivery().body())
        .isEqualTo("{nonsense".getBytes(StandardCharsets.UTF_8));
    assertThat(quarantined.get(0).delivery().messageId()).isEqualTo("x");
    assertThat(process()).hasSize(1);
  }

  @Test
  void deliveriesThatDifferInAnythingAreAllKept() {
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
    List<Delivery> all =
        List.of(
            odd("a", "b", null, Map.of(), body),
            odd("a\nb", null, null, Map.of(), body),
            odd("a", null, "b", Map.of(), body),
            odd("a", "", null, Map.of(), body),
            odd("a", null, null, Map.of(), body),
            odd("a", "null", null, Map.of(), body),
            odd("a", "b", null, Map.of("h", "x, i=y"), body),
            odd("a", "b", null, Map.of("h", "x", "i", "y"), body),
            odd("a", "b", null, Map.of("h", 1), body),
            odd("a", "b", null, Map.of("h", "1"), body),
            odd("a", "b", null, Map.of("h", List.of("x", "y")), body),
            odd("a", "b", null, Map.of("h", "[x, y]"), body),
            odd("a", "b", null, Map.of("x-delivery-counter", 1), body),
            odd("a", "b", null, Map.of(), "{} ".getBytes(StandardCharsets.UTF_8)));
    List<ValidatedDelivery> arrivals = all.stream().map(ReceivingContract::unreadable).toList();
    for (int i = 0; i < 2; i++) {
      store.receive(endpoint, arrivals);
    }
    assertThat(quarantined()).hasSize(all.size());
  }

  @Test
  void whatABrokerWritesIntoTheHeadersOfADeliveryMakesItNoOther() {
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
    Map<String, @Nullable Object> own = Map.of("a", "b", "c", Map.of("d", 1, "e", 2));
    Map<String, @Nullable Object> again = new HashMap<>(own);
    again.put("x-delivery-count", 1);
    again.put("x-acquired-count", 2);
    again.put("x-death", List.of(Map.of("count", 3, "reason", "rejected")));
    again.put("x-first-death-queue", "orders");
    again.put("x-first-death-reason", "rejected");
    again.put("x-last-death-queue", "orders");
    again.put("x-last-death-exchange", "");
    Map<String, @Nullable Object> otherWayRound = new TreeMap<>(Comparator.reverseOrder());
    otherWayRound.putAll(own);
    for (Map<String, @Nullable Object> headers : List.of(own, again, otherWayRound)) {
      store.receive(endpoint, List.of(unreadable(odd("a", "b", null, headers, body))));
    }
    assertThat(quarantined()).hasSize(1);
  }

  @Test
  void aDeliveryIsKeptOnceWhateverEveryProcessFindsWrongWithIt() {
    for (QuarantineReason reason :
        List.of(QuarantineReason.UNKNOWN_TYPE, QuarantineReason.UNREADABLE)) {
      store.receive(endpoint, List.of(rejected(reason, TYPE, "{}")));
    }
    assertThat(quarantined())
        .extracting(QuarantinedMessage::reason)
        .containsExactly(QuarantineReason.UNKNOWN_TYPE);
  }

  private static Delivery odd(
      String id,
      @Nullable String type,
      @Nullable String contentType,
      Map<String, @Nullable Object> headers,
      byte[] body) {
    return new Delivery(id, type, contentType, null, null, null, headers, body, false);
  }

  private static ValidatedDelivery unreadable(Delivery delivery) {
    return new ValidatedDelivery.Rejected(
        delivery,
        HeaderJson.write(delivery.headers()),
        QuarantineReason.UNREADABLE,
        "it cannot be read");
  }

  @Test
  void whoWatchesIsNotToldOfWhatIsPutAside() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (WorkStore.Watch watch = store.watch(told::add, () -> {})) {
      assertThat(watch).isNotNull();
      store.receive(endpoint, List.of(rejected(QuarantineReason.INVALID_JSON, TYPE, "{nonsense")));
      assertThat(told).isEmpty();
      store.receive(endpoint, List.of(event(0)));
      assertThat(told).containsExactly(endpoint);
      ValidatedDelivery conflict = event(id(0), TYPE, "{\"n\":99}");
      store.receive(endpoint, List.of(conflict));
      store.receive(
          endpoint, List.of(conflict, rejected(QuarantineReason.INVALID_JSON, TYPE, "{worse")));
      assertThat(told).containsExactly(endpoint);
      store.receive(
          endpoint, List.of(event(1), rejected(QuarantineReason.INVALID_JSON, TYPE, "{evil")));
      assertThat(told).containsExactly(endpoint, endpoint);
    }
  }

  @Test
  void consumersThatGetTheSameMessagesAtTheSameTimeStoreEachOnce() throws Exception {
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier barrier = new CyclicBarrier(threads);
    List<ValidatedDelivery> batch = new ArrayList<>();
    for (int n = 0; n < 200; n++) {
      batch.add(event(n));
    }
    List<Future<List<StoreResult>>> results = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      InboxStore mine = another();
      Callable<List<StoreResult>> consumer =
          () -> {
            barrier.await();
            return mine.receive(endpoint, batch);
          };
      results.add(pool.submit(consumer));
    }
    long stored = 0;
    for (Future<List<StoreResult>> result : results) {
      assertThat(result.get()).doesNotContain(StoreResult.CONFLICT);
      stored += result.get().stream().filter(it -> it == StoreResult.STORED).count();
    }
    pool.shutdown();
    assertThat(stored).isEqualTo(200);
    assertThat(process()).hasSize(200);
  }

  private List<QuarantinedMessage> quarantined() {
    return store.listQuarantined(MessageFilter.all().endpoint(endpoint), 0, 100);
  }
}
