package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.MessageIds;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** One part of the contract. Every test has an endpoint of its own, so that all share the data. */
abstract class ContractPart {

  static final String TYPE = "created";
  static final Set<String> TYPES = Set.of(TYPE);
  static final String BY = "anna";

  private final List<InboxStore> stores = new ArrayList<>();
  String endpoint = "";
  StoreFixture fixture;
  InboxStore store;

  abstract StoreFixture fixture();

  @BeforeEach
  void open() {
    endpoint = "queue-" + UUID.randomUUID();
    fixture = fixture();
    store = another();
  }

  @AfterEach
  void close() {
    stores.forEach(InboxStore::close);
  }

  /** Another store on the same data, as another process would have it. */
  InboxStore another() {
    InboxStore another = InboxStoreContract.calls.of(this, fixture.newStore());
    stores.add(another);
    another.open();
    return another;
  }

  /** Repeats an assertion until it holds, for 20 seconds at most. */
  static void eventually(Runnable assertion) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  UUID id(int n) {
    return MessageIds.of(endpoint, n);
  }

  ValidatedDelivery.Event event(int n) {
    return event(id(n), TYPE, "{\"n\":" + n + "}");
  }

  static ValidatedDelivery.Event event(UUID id, String type, String body) {
    return new ValidatedDelivery.Event(delivery(id.toString(), type, body), null, id, type);
  }

  static ValidatedDelivery.Rejected rejected(
      QuarantineReason reason, @Nullable String type, String body) {
    return new ValidatedDelivery.Rejected(delivery("x", type, body), null, reason, "why " + body);
  }

  static Delivery delivery(String id, @Nullable String type, String body) {
    return new Delivery(
        id,
        type,
        "application/json",
        null,
        "correlation",
        "shop",
        Map.of(),
        body.getBytes(StandardCharsets.UTF_8),
        false);
  }

  /** Stores this many new messages. */
  void receive(int count) {
    List<ValidatedDelivery> batch = new ArrayList<>();
    IntStream.range(0, count).forEach(n -> batch.add(event(n)));
    assertThat(store.receive(endpoint, batch)).containsOnly(StoreResult.STORED);
  }

  /** Claims all that is due from a new store, gives each an outcome, and commits. */
  List<ClaimedMessage> settle(Function<ClaimedMessage, Outcome> outcome) {
    try (WorkTransaction transaction = another().begin(endpoint)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, 1_000);
      transaction.commit(messages.stream().map(outcome).toList());
      return messages;
    }
  }

  List<ClaimedMessage> process() {
    return settle(message -> new Outcome.Processed(message.sequence()));
  }

  List<ClaimedMessage> kill(String error) {
    return settle(message -> new Outcome.Dead(message.sequence(), error));
  }

  List<ClaimedMessage> retry(Duration delay) {
    return settle(message -> new Outcome.Retry(message.sequence(), delay, "again"));
  }

  /** The messages of this test. */
  MessageFilter mine() {
    return MessageFilter.all().endpoint(endpoint);
  }

  List<DeadMessage> dead() {
    return store.listDead(mine(), 1_000);
  }

  static List<UUID> ids(List<ClaimedMessage> messages) {
    return messages.stream().map(ClaimedMessage::messageId).toList();
  }

  /** The ids from {@code first} on, this many. */
  List<UUID> ids(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(this::id).toList();
  }
}
