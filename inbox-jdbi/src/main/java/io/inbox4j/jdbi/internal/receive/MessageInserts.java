package io.inbox4j.jdbi.internal.receive;

import io.inbox4j.internal.receive.QuarantineFingerprint;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.ReceiveSql;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The statements that store a batch of deliveries, within a transaction or each as its own. */
public final class MessageInserts {

  private MessageInserts() {}

  /**
   * Stores events and quarantines the rest; returns the result for each, in the same order.
   *
   * @param notification the notification to send if something is stored, or null
   * @param sequences receives the sequence of every event that is stored for the first time
   */
  public static List<StoreResult> store(
      Handle handle,
      String endpoint,
      List<ValidatedDelivery> batch,
      @Nullable String notification,
      Consumer<Long> sequences) {
    List<ValidatedDelivery.Event> events = new ArrayList<>(batch.size());
    List<ValidatedDelivery.Rejected> rejected = new ArrayList<>();
    for (ValidatedDelivery arrival : batch) {
      if (arrival instanceof ValidatedDelivery.Event event) {
        events.add(event);
      } else {
        rejected.add((ValidatedDelivery.Rejected) arrival);
      }
    }
    boolean mixed = !events.isEmpty() && !rejected.isEmpty();
    Map<ValidatedDelivery, ArrivalPosition> places = mixed ? nextPlaces(handle, batch) : Map.of();
    List<StoreResult> receipts =
        storeEvents(
            handle,
            endpoint,
            events,
            mixed ? events.stream().map(places::get).toList() : null,
            notification,
            sequences);
    for (int i = 0; i < events.size(); i++) {
      if (receipts.get(i) == StoreResult.CONFLICT) {
        rejected.add(conflict(events.get(i)));
      }
    }
    if (!rejected.isEmpty()) {
      quarantine(handle, endpoint, rejected, places);
    }
    return inOrderOf(batch, receipts);
  }

  /**
   * The position of each delivery in the arrival order, including those that may become events
   * later.
   */
  @SuppressWarnings("IdentityHashMapUsage") // looked up only by the deliveries of this batch
  private static Map<ValidatedDelivery, ArrivalPosition> nextPlaces(
      Handle handle, List<ValidatedDelivery> batch) {
    List<Long> sequences =
        handle
            .createQuery(ReceiveSql.NEXT_PLACES)
            .bind("count", batch.size())
            .mapTo(Long.class)
            .list();
    Map<ValidatedDelivery, ArrivalPosition> places = new IdentityHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      places.putIfAbsent(batch.get(i), new ArrivalPosition(sequences.get(i), null));
    }
    return places;
  }

  /**
   * Whether there may be something for the workers. A duplicate may stem from an attempt whose
   * response was lost, and about which nobody was notified.
   */
  public static boolean isToHandle(StoreResult receipt) {
    return receipt == StoreResult.STORED || receipt == StoreResult.DUPLICATE;
  }

  /**
   * Stores events idempotently; the results tell which existed before, with the same body or not.
   *
   * @param places their positions in the arrival order, or null for the next ones
   * @param notification the notification to send if something is stored, or null
   */
  public static List<StoreResult> storeEvents(
      Handle handle,
      String endpoint,
      List<ValidatedDelivery.Event> events,
      @Nullable List<ArrivalPosition> places,
      @Nullable String notification,
      Consumer<Long> sequences) {
    if (events.isEmpty()) {
      return List.of();
    }
    Set<UUID> stored = insert(handle, endpoint, events, places, notification, sequences);
    if (stored.size() == events.size()) {
      return Collections.nCopies(events.size(), StoreResult.STORED);
    }
    StoreResult[] receipts = new StoreResult[events.size()];
    List<ValidatedDelivery.Event> seenBefore = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < receipts.length; i++) {
      if (stored.remove(events.get(i).messageId())) {
        receipts[i] = StoreResult.STORED;
      } else {
        receipts[i] = StoreResult.DUPLICATE;
        seenBefore.add(events.get(i));
        indexes.add(i);
      }
    }
    for (int ordinal : conflicts(handle, endpoint, seenBefore)) {
      receipts[indexes.get(ordinal - 1)] = StoreResult.CONFLICT;
    }
    return Arrays.asList(receipts);
  }

  private static Set<UUID> insert(
      Handle handle,
      String endpoint,
      List<ValidatedDelivery.Event> events,
      @Nullable List<ArrivalPosition> places,
      @Nullable String notification,
      Consumer<Long> sequences) {
    Query query = handle.createQuery(places == null ? ReceiveSql.STORE : ReceiveSql.STORE_AT);
    if (places != null) {
      query
          .bind("places", PgArray.longs(places, ArrivalPosition::sequence))
          .bind("arrivedOn", PgArray.texts(places, place -> text(place.arrivedAt())));
    }
    return query
        .bind("endpoint", endpoint)
        .bind("notification", notification)
        .bind("ids", PgArray.uuids(events, ValidatedDelivery.Event::messageId))
        .bind("types", PgArray.texts(events, ValidatedDelivery.Event::type))
        .bind("contentTypes", PgArray.texts(events, event -> event.delivery().contentType()))
        .bind("bodies", PgArray.bytes(events, event -> event.delivery().body()))
        .bind("headers", PgArray.texts(events, ValidatedDelivery.Event::headers))
        .bind("correlationIds", PgArray.texts(events, event -> event.delivery().correlationId()))
        .bind("sources", PgArray.texts(events, event -> event.delivery().source()))
        .bind("redelivered", PgArray.booleans(events, event -> event.delivery().redelivered()))
        .bind("orderingKeys", PgArray.texts(events, ValidatedDelivery.Event::orderingKey))
        .bind("notBefore", PgArray.texts(events, event -> text(event.notBefore())))
        .map(
            (row, context) -> {
              sequences.accept(row.getLong("seq"));
              return row.getObject("message_id", UUID.class);
            })
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private static List<Integer> conflicts(
      Handle handle, String endpoint, List<ValidatedDelivery.Event> seenBefore) {
    return handle
        .createQuery(ReceiveSql.CONFLICTS)
        .bind("endpoint", endpoint)
        .bind("ids", PgArray.uuids(seenBefore, ValidatedDelivery.Event::messageId))
        .bind("types", PgArray.texts(seenBefore, ValidatedDelivery.Event::type))
        .bind("bodies", PgArray.bytes(seenBefore, event -> event.delivery().body()))
        .mapTo(Integer.class)
        .list();
  }

  public static ValidatedDelivery.Rejected conflict(ValidatedDelivery.Event event) {
    return new ValidatedDelivery.Rejected(
        event.delivery(),
        event.headers(),
        QuarantineReason.ID_CONFLICT,
        "the id %s is stored with another body or type".formatted(event.messageId()));
  }

  private static void quarantine(
      Handle handle,
      String endpoint,
      List<ValidatedDelivery.Rejected> rejected,
      Map<ValidatedDelivery, ArrivalPosition> places) {
    handle
        .createUpdate(ReceiveSql.QUARANTINE)
        .bind("endpoint", endpoint)
        .bind("reasons", PgArray.texts(rejected, it -> it.reason().code()))
        .bind("details", PgArray.texts(rejected, ValidatedDelivery.Rejected::detail))
        .bind("fingerprints", PgArray.uuids(rejected, QuarantineFingerprint::of))
        .bind("messageIds", PgArray.texts(rejected, it -> it.delivery().messageId()))
        .bind("types", PgArray.texts(rejected, it -> it.delivery().type()))
        .bind("contentTypes", PgArray.texts(rejected, it -> it.delivery().contentType()))
        .bind("contentEncodings", PgArray.texts(rejected, it -> it.delivery().contentEncoding()))
        .bind("correlationIds", PgArray.texts(rejected, it -> it.delivery().correlationId()))
        .bind("sources", PgArray.texts(rejected, it -> it.delivery().source()))
        .bind("headers", PgArray.texts(rejected, ValidatedDelivery.Rejected::headers))
        .bind("bodies", PgArray.bytes(rejected, it -> it.delivery().body()))
        .bind("redelivered", PgArray.booleans(rejected, it -> it.delivery().redelivered()))
        .bind("places", PgArray.longs(rejected, it -> sequence(places.get(it))))
        .execute();
  }

  private static @Nullable Long sequence(@Nullable ArrivalPosition place) {
    return place == null ? null : place.sequence();
  }

  private static List<StoreResult> inOrderOf(
      List<ValidatedDelivery> batch, List<StoreResult> ofEvents) {
    if (ofEvents.size() == batch.size()) {
      return ofEvents;
    }
    List<StoreResult> receipts = new ArrayList<>(batch.size());
    int event = 0;
    for (ValidatedDelivery arrival : batch) {
      receipts.add(
          arrival instanceof ValidatedDelivery.Event
              ? ofEvents.get(event++)
              : StoreResult.QUARANTINED);
    }
    return receipts;
  }
}
