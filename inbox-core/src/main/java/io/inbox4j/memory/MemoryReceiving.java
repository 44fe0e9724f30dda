package io.inbox4j.memory;

import io.inbox4j.internal.receive.QuarantineFingerprint;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores deliveries in a changes. */
final class MemoryReceiving {

  private final MemoryChanges changes;
  private final MemoryTables tables;
  private final String endpoint;

  MemoryReceiving(MemoryChanges changes) {
    this.changes = changes;
    this.tables = changes.tables;
    this.endpoint = changes.endpoint;
  }

  List<StoreResult> receive(List<ValidatedDelivery> batch) {
    Instant now = tables.now();
    return batch.stream().map(delivery -> receive(delivery, now)).toList();
  }

  private StoreResult receive(ValidatedDelivery delivery, Instant now) {
    long place = tables.nextSequence();
    if (delivery instanceof ValidatedDelivery.Event event) {
      StoreResult result = store(event, place, now, now);
      if (result == StoreResult.CONFLICT) {
        quarantine(conflict(event), place, now);
      }
      return result;
    }
    quarantine((ValidatedDelivery.Rejected) delivery, place, now);
    return StoreResult.QUARANTINED;
  }

  /** Stores an event at this place in the arrival order, unless its identity is there. */
  StoreResult store(ValidatedDelivery.Event event, long place, Instant receivedAt, Instant now) {
    StoredMessage message = StoredMessage.of(event, endpoint, place, receivedAt);
    tables.awaitUntil(() -> nobodyElseStores(message.identity()));
    StoredMessage before = find(message.identity());
    if (before != null) {
      return before.conflictsWith(event) ? StoreResult.CONFLICT : StoreResult.DUPLICATE;
    }
    Instant notBefore = event.notBefore();
    boolean later = notBefore != null && notBefore.isAfter(now);
    changes.insert(PendingRow.fresh(message, later ? notBefore : now));
    return StoreResult.STORED;
  }

  private boolean nobodyElseStores(StoredMessage.Identity identity) {
    return tables.open.stream()
        .noneMatch(it -> it.changes != changes && it.changes.received.containsKey(identity));
  }

  private @Nullable StoredMessage find(StoredMessage.Identity identity) {
    StoredMessage mine = changes.received.get(identity);
    return mine == null ? tables.messages.get(identity) : mine;
  }

  static ValidatedDelivery.Rejected conflict(ValidatedDelivery.Event event) {
    return new ValidatedDelivery.Rejected(
        event.delivery(),
        event.headers(),
        QuarantineReason.ID_CONFLICT,
        "the id %s is stored with another body or type".formatted(event.messageId()));
  }

  private void quarantine(ValidatedDelivery.Rejected rejected, long place, Instant now) {
    UUID fingerprint = QuarantineFingerprint.of(rejected);
    boolean known =
        Stream.concat(tables.quarantine.values().stream(), changes.quarantined.stream())
            .anyMatch(it -> it.endpoint().equals(endpoint) && it.fingerprint().equals(fingerprint));
    if (!known) {
      changes.quarantined.add(
          new QuarantineRow(
              tables.nextQuarantined(),
              endpoint,
              rejected.reason(),
              rejected.detail(),
              now,
              rejected.delivery(),
              place,
              fingerprint));
    }
  }
}
