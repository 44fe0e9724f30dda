package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.OutboxReader.Entry;
import io.inbox4j.store.OutboxReader.Undeliverable;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.OutgoingMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Outgoing messages: publishing, sending them, and who does. */
abstract class OutboxContract extends ContractPart {

  private static final int MANY = 1_000;
  private static final long BYTES = 1L << 20;

  /** Sends what other tests have left. */
  @BeforeEach
  void empty() {
    try (OutboxReader reader = store.openOutbox()) {
      boolean more = true;
      while (more) {
        int due = reader.releaseDue();
        List<Entry> entries = reader.next(MANY, BYTES);
        reader.settle(sequences(entries), List.of());
        more = due > 0 || !entries.isEmpty();
      }
    }
  }

  private OutgoingMessage message(int n, byte[] body) {
    return new OutgoingMessage(
        id(n),
        new OutgoingMessage.Topic("shop." + TYPE),
        TYPE,
        "application/json",
        body,
        Map.of(),
        null,
        null,
        null,
        null,
        null);
  }

  private OutgoingMessage message(int n) {
    return message(n, ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8));
  }

  /** The messages from {@code first} on, this many. */
  private List<StoredOutgoing> messages(int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(n -> StoredOutgoing.now(message(n)))
        .toList();
  }

  private StoredOutgoing delayed(int n, Duration delay) {
    return new StoredOutgoing(message(n), delay, null);
  }

  private static List<UUID> idsOf(List<Entry> entries) {
    return entries.stream().map(entry -> entry.message().messageId()).toList();
  }

  private static List<Long> sequences(List<Entry> entries) {
    return entries.stream().map(Entry::sequence).toList();
  }

  /** All there is for a new reader. */
  private List<UUID> waiting() {
    try (OutboxReader reader = store.openOutbox()) {
      return idsOf(reader.next(MANY, BYTES));
    }
  }

  @Test
  void aMessageIsReadAsItWasPublished() {
    OutgoingMessage message =
        new OutgoingMessage(
            id(1),
            new OutgoingMessage.Queue("billing \u00fc"),
            TYPE,
            "application/json",
            new byte[] {0, 1, -1},
            Map.of("text", "\u00e4\u0000", "number", 7, "list", Arrays.asList(true, null)),
            "correlation",
            "shop",
            "key",
            Duration.ofMillis(1_500),
            255);
    store.publish(List.of(StoredOutgoing.now(message), StoredOutgoing.now(message(2))));
    try (OutboxReader reader = store.openOutbox()) {
      List<Entry> entries = reader.next(MANY, BYTES);
      assertThat(entries)
          .extracting(Entry::message)
          .usingRecursiveFieldByFieldElementComparator()
          .containsExactly(message, message(2));
    }
  }

  @Test
  void messagesAreReadOnceInTheOrderInWhichTheyWerePublished() {
    store.publish(messages(0, 3));
    store.publish(messages(3, 2));
    try (OutboxReader reader = store.openOutbox()) {
      assertThat(idsOf(reader.next(2, BYTES))).isEqualTo(ids(0, 2));
      assertThat(idsOf(reader.next(2, BYTES))).isEqualTo(ids(2, 2));
      assertThat(idsOf(reader.next(2, BYTES))).isEqualTo(ids(4, 1));
      assertThat(reader.next(2, BYTES)).isEmpty();
      store.publish(messages(5, 1));
      assertThat(idsOf(reader.next(2, BYTES))).isEqualTo(ids(5, 1));
      reader.startOver();
      assertThat(idsOf(reader.next(MANY, BYTES))).isEqualTo(ids(0, 6));
    }
  }

  @Test
  void veryManyMessagesAtOnceKeepTheirOrder() {
    store.publish(messages(0, 2_500));
    List<UUID> read = new ArrayList<>();
    try (OutboxReader reader = store.openOutbox()) {
      for (List<Entry> next = reader.next(MANY, BYTES);
          !next.isEmpty();
          next = reader.next(MANY, BYTES)) {
        read.addAll(idsOf(next));
        reader.settle(sequences(next), List.of());
      }
    }
    assertThat(read).isEqualTo(ids(0, 2_500));
  }

  @Test
  void bodiesAreLimitedButOneMessageIsAlwaysRead() {
    store.publish(
        IntStream.range(0, 5)
            .mapToObj(n -> StoredOutgoing.now(message(n, new byte[n == 2 ? 10_000 : 100])))
            .toList());
    try (OutboxReader reader = store.openOutbox()) {
      assertThat(idsOf(reader.next(MANY, 250))).isEqualTo(ids(0, 2));
      assertThat(idsOf(reader.next(MANY, 250))).isEqualTo(ids(2, 1));
      assertThat(idsOf(reader.next(MANY, 250))).isEqualTo(ids(3, 2));
      assertThat(reader.next(MANY, 250)).isEmpty();
    }
  }

  @Test
  void whatWasSentIsGone() {
    store.publish(messages(0, 3));
    try (OutboxReader reader = store.openOutbox()) {
      List<Entry> entries = reader.next(MANY, BYTES);
      reader.settle(sequences(entries.subList(0, 2)), List.of());
      reader.settle(sequences(entries.subList(0, 1)), List.of());
      assertThat(reader.next(MANY, BYTES)).as("one of them is in flight").isEmpty();
      reader.startOver();
      assertThat(idsOf(reader.next(MANY, BYTES))).isEqualTo(ids(2, 1));
    }
  }

  @Test
  void whatCannotBeSentIsKeptAsDead() {
    long before = store.outboxStatus().dead();
    store.publish(messages(0, 3));
    try (OutboxReader reader = store.openOutbox()) {
      List<Long> sequences = sequences(reader.next(MANY, BYTES));
      List<Undeliverable> dead =
          List.of(
              new Undeliverable(
                  sequences.get(0), OutboxReader.Reason.UNROUTABLE, "no queue \u0000"),
              new Undeliverable(sequences.get(2), OutboxReader.Reason.REJECTED, ""));
      reader.settle(sequences.subList(1, 2), dead);
      reader.settle(List.of(), dead);
    }
    assertThat(waiting()).isEmpty();
    assertThat(store.outboxStatus().dead()).isEqualTo(before + 2);
  }

  @Test
  void howMuchWaitsAndForHowLongIsKnown() {
    OutboxStatus before = store.outboxStatus();
    assertThat(before.waiting()).isZero();
    assertThat(before.oldest()).isNull();
    store.publish(messages(0, 3));
    store.publish(List.of(delayed(3, Duration.ofHours(1))));
    OutboxStatus status = store.outboxStatus();
    assertThat(status.waiting()).isEqualTo(3);
    assertThat(status.scheduled()).isEqualTo(before.scheduled() + 1);
    assertThat(status.oldest()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
    assertThat(store.cancelScheduled(id(3))).isTrue();
  }

  @Test
  void whatATransactionPublishesIsThereOnceItIsCommitted() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.publish(messages(0, 2));
      assertThat(waiting()).isEmpty();
      transaction.commit(List.of());
    }
    assertThat(waiting()).isEqualTo(ids(0, 2));
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.publish(messages(2, 2));
    }
    assertThat(waiting()).isEqualTo(ids(0, 2));
  }

  @Test
  void messagesAndWhatTheyPublishAreCommittedTogether() {
    receive(2);
    try (WorkTransaction transaction = store.begin(endpoint)) {
      List<ClaimedMessage> claimed = transaction.claim(TYPES, 10);
      transaction.savepoint();
      fixture.effect(transaction, endpoint);
      transaction.releaseSavepoint();
      transaction.publish(messages(0, 1));
      transaction.commit(
          claimed.stream().<Outcome>map(it -> new Outcome.Processed(it.sequence())).toList());
    }
    assertThat(waiting()).isEqualTo(ids(0, 1));
    assertThat(fixture.effects()).contains(endpoint);
    assertThat(process()).isEmpty();
  }

  @Test
  void whatIsPublishedInATransactionOfTheCallerIsUndoneWithIt() {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.savepoint();
      store.publish(fixture.transactionOf(transaction), messages(0, 2));
      transaction.rollbackToSavepoint();
      transaction.savepoint();
      store.publish(fixture.transactionOf(transaction), messages(2, 2));
      store.publish(fixture.transactionOf(transaction), List.of());
      transaction.releaseSavepoint();
      assertThat(waiting()).isEmpty();
      transaction.commit(List.of());
    }
    assertThat(waiting()).isEqualTo(ids(2, 2));
  }

  @Test
  void somethingThatIsNoTransactionIsRefusedByWhatIs() {
    assertThatThrownBy(() -> store.publish("a transaction", messages(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String")
        .hasMessageContaining("expected");
  }

  @Test
  void aTransactionThatCommitsAfterLaterOnesIsNotSkipped() {
    try (OutboxReader reader = store.openOutbox();
        WorkTransaction late = store.begin(endpoint)) {
      store.publish(messages(0, 1));
      store.publish(fixture.transactionOf(late), messages(1, 1));
      store.publish(messages(2, 1));
      List<Entry> before = reader.next(MANY, BYTES);
      assertThat(idsOf(before)).containsExactly(id(0), id(2));
      reader.settle(sequences(before), List.of());
      assertThat(reader.next(MANY, BYTES)).isEmpty();
      late.commit(List.of());
      assertThat(idsOf(reader.next(MANY, BYTES))).containsExactly(id(1));
      assertThat(reader.next(MANY, BYTES)).isEmpty();
    }
  }

  @Test
  void aMessageThatIsNotDueIsKeptBackUntilItIs() {
    Instant soon = Instant.now().plus(Duration.ofMinutes(30));
    store.publish(
        List.of(
            delayed(0, Duration.ofHours(1)),
            new StoredOutgoing(message(1), null, soon),
            StoredOutgoing.now(message(2)),
            delayed(3, Duration.ofDays(1))));
    assertThat(waiting()).isEqualTo(ids(2, 1));
    try (OutboxReader reader = store.openOutbox()) {
      assertThat(idsOf(reader.next(MANY, BYTES))).isEqualTo(ids(2, 1));
      assertThat(reader.releaseDue()).isZero();
      fixture.age(Duration.ofHours(2));
      assertThat(reader.releaseDue()).isEqualTo(2);
      assertThat(idsOf(reader.next(MANY, BYTES)))
          .as("those due first first")
          .containsExactly(id(1), id(0));
      assertThat(reader.releaseDue()).isZero();
    }
    assertThat(store.cancelScheduled(id(3))).isTrue();
  }

  @Test
  void aTimeThatHasPassedIsNow() {
    store.publish(
        List.of(
            new StoredOutgoing(message(0), null, Instant.MIN),
            delayed(1, Duration.ZERO),
            StoredOutgoing.now(message(2))));
    assertThat(waiting()).isEqualTo(ids(0, 3));
  }

  @Test
  void whatIsNotDueCanBeCancelled() {
    store.publish(List.of(delayed(0, Duration.ofHours(1)), StoredOutgoing.now(message(1))));
    assertThat(store.cancelScheduled(id(0))).isTrue();
    assertThat(store.cancelScheduled(id(0))).isFalse();
    assertThat(store.cancelScheduled(id(1))).as("it may be on its way").isFalse();
    assertThat(waiting()).isEqualTo(ids(1, 1));
  }

  @Test
  void whatIsNotDueCanBeRescheduled() {
    store.publish(List.of(new StoredOutgoing(message(0), null, Instant.MAX)));
    assertThat(store.reschedule(id(0), Instant.MIN)).isTrue();
    try (OutboxReader reader = store.openOutbox()) {
      assertThat(reader.releaseDue()).isOne();
      assertThat(idsOf(reader.next(MANY, BYTES))).isEqualTo(ids(0, 1));
    }
    assertThat(store.reschedule(id(0), Instant.MAX)).as("it may be on its way").isFalse();
    assertThat(store.reschedule(id(1), Instant.MAX)).isFalse();
  }

  @Test
  void oneProcessSendsAtATime() {
    UUID one = UUID.randomUUID();
    UUID other = UUID.randomUUID();
    Duration time = Duration.ofMinutes(1);
    assertThat(store.leadRelay(one, time)).isTrue();
    assertThat(another().leadRelay(other, time)).isFalse();
    assertThat(store.leadRelay(one, time)).isTrue();
    store.resignRelay(other);
    assertThat(another().leadRelay(other, time)).isFalse();
    store.resignRelay(one);
    assertThat(store.leadRelay(other, Duration.ofMillis(1))).isTrue();
    eventually(() -> assertThat(store.leadRelay(one, time)).as("that has ended").isTrue());
    assertThat(store.leadRelay(other, time)).isFalse();
    store.resignRelay(one);
  }

  @Test
  void whoSendsIsToldOfWhatIsPublished() {
    AtomicInteger told = new AtomicInteger();
    try (WorkStore.Watch watch = store.watchOutbox(told::incrementAndGet)) {
      assertThat(watch).isNotNull();
      store.publish(messages(0, 1));
      assertThat(told).hasPositiveValue();
      int before = told.get();
      try (WorkTransaction transaction = store.begin(endpoint)) {
        transaction.publish(messages(1, 1));
        transaction.commit(List.of());
      }
      assertThat(told).hasValueGreaterThan(before);
      before = told.get();
      try (WorkTransaction transaction = store.begin(endpoint)) {
        store.publish(fixture.transactionOf(transaction), messages(2, 1));
        transaction.commit(List.of());
      }
      assertThat(told).hasValueGreaterThan(before);
    }
    int before = told.get();
    store.publish(messages(3, 1));
    assertThat(told).as("it does not watch any more").hasValue(before);
  }

  @Test
  void workersAreNotToldOfWhatIsPublished() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (WorkStore.Watch watch = store.watch(told::add, () -> {})) {
      assertThat(watch).isNotNull();
      store.publish(messages(0, 1));
      receive(1);
      eventually(() -> assertThat(told).contains(endpoint));
      assertThat(told).doesNotContain("");
    }
  }
}
