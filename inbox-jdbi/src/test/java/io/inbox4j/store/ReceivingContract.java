package io.inbox4j.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.receive.internal.HeaderJson;
import io.inbox4j.transport.Delivery;
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
    List<Arrival> batch = new ArrayList<>();
    for (int n = 0; n < 100; n++) {
      batch.add(event(n));
    }
    Collections.shuffle(batch);
    store.receive(endpoint, batch);
    List<UUID> came = batch.stream().map(it -> ((Arrival.Event) it).messageId()).toList();
    assertThat(ids(process())).isEqualTo(came);
  }

  @Test
  void everythingThatCameIsThereForTheHandler() {
    Arrival.Event event =
        new Arrival.Event(delivery("order-7", TYPE, "{\"ü\":1}"), "{\"h\":\"v\"}", id(1), TYPE);
    store.receive(endpoint, List.of(event));
    StoredMessage message = process().get(0);
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
        .containsExactly(Receipt.DUPLICATE, Receipt.STORED, Receipt.DUPLICATE);
    assertThat(ids(process())).isEqualTo(ids(0, 4));
    assertThat(quarantined()).isEmpty();
  }

  @Test
  void aSecondDeliveryWithinABatchChangesNothing() {
    assertThat(store.receive(endpoint, List.of(event(0), event(1), event(0), event(0))))
        .containsExactly(Receipt.STORED, Receipt.STORED, Receipt.DUPLICATE, Receipt.DUPLICATE);
    assertThat(ids(process())).isEqualTo(ids(0, 2));
  }

  @Test
  void aMessageThatWasHandledOrGivenUpOnIsNotTakenAgain() {
    receive(1);
    process();
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(Receipt.DUPLICATE);
    store.receive(endpoint, List.of(event(1)));
    kill("no");
    assertThat(store.receive(endpoint, List.of(event(1)))).containsExactly(Receipt.DUPLICATE);
    assertThat(process()).isEmpty();
  }

  @Test
  void theSameIdOnTwoEndpointsIsTwoMessages() {
    String other = endpoint + "-other";
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(Receipt.STORED);
    assertThat(store.receive(other, List.of(event(0)))).containsExactly(Receipt.STORED);
    assertThat(ids(process())).isEqualTo(ids(0, 1));
    try (WorkTransaction transaction = another().begin(other)) {
      assertThat(ids(transaction.claim(TYPES, 10))).isEqualTo(ids(0, 1));
    }
  }

  @Test
  void theSameIdWithAnotherBodyOrTypeIsPutAsideOnceHoweverOftenItComes() {
    receive(1);
    Arrival otherBody = event(id(0), TYPE, "{\"n\":99}");
    Arrival otherType = event(id(0), "cancelled", "{\"n\":0}");
    for (int i = 0; i < 3; i++) {
      assertThat(store.receive(endpoint, List.of(otherBody, event(0), otherType, otherBody)))
          .containsExactly(Receipt.CONFLICT, Receipt.DUPLICATE, Receipt.CONFLICT, Receipt.CONFLICT);
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
        .containsExactly(Receipt.STORED, Receipt.CONFLICT);
    assertThat(process().get(0).body()).isEqualTo(event(0).delivery().body());
    assertThat(quarantined()).hasSize(1);
  }

  @Test
  void whatIsNoEventIsPutAsideOnceWithItsBytesAndNothingElseIsHeldUp() {
    Arrival bad = rejected(QuarantineReason.INVALID_JSON, TYPE, "{nonsense");
    for (int i = 0; i < 2; i++) {
      store.receive(endpoint, List.of(bad, event(0), bad));
    }
    assertThat(store.receive(endpoint, List.of(event(0), bad)))
        .containsExactly(Receipt.DUPLICATE, Receipt.QUARANTINED);
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
    List<Arrival> arrivals = all.stream().map(ReceivingContract::unreadable).toList();
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

  private static Arrival unreadable(Delivery delivery) {
    return new Arrival.Rejected(
        delivery,
        HeaderJson.write(delivery.headers()),
        QuarantineReason.UNREADABLE,
        "it cannot be read");
  }

  @Test
  void whoWatchesIsNotToldOfWhatIsPutAside() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (InboxStore.Watch watch = store.watch(told::add, () -> {})) {
      assertThat(watch).isNotNull();
      store.receive(endpoint, List.of(rejected(QuarantineReason.INVALID_JSON, TYPE, "{nonsense")));
      assertThat(told).isEmpty();
      store.receive(endpoint, List.of(event(0)));
      assertThat(told).containsExactly(endpoint);
      Arrival conflict = event(id(0), TYPE, "{\"n\":99}");
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
    List<Arrival> batch = new ArrayList<>();
    for (int n = 0; n < 200; n++) {
      batch.add(event(n));
    }
    List<Future<List<Receipt>>> results = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      InboxStore mine = another();
      Callable<List<Receipt>> consumer =
          () -> {
            barrier.await();
            return mine.receive(endpoint, batch);
          };
      results.add(pool.submit(consumer));
    }
    long stored = 0;
    for (Future<List<Receipt>> result : results) {
      assertThat(result.get()).doesNotContain(Receipt.CONFLICT);
      stored += result.get().stream().filter(it -> it == Receipt.STORED).count();
    }
    pool.shutdown();
    assertThat(stored).isEqualTo(200);
    assertThat(process()).hasSize(200);
  }

  private List<QuarantinedMessage> quarantined() {
    return store.listQuarantined(MessageFilter.all().endpoint(endpoint), 0, 100);
  }
}
