package io.inbox4j.jdbi;

import io.inbox4j.jdbi.Announcements.Announcement;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.store.Receipt;
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

/** The statements that store a batch of deliveries, in a transaction or each as one. */
final class Receiving {

  private Receiving() {}

  /**
   * Stores events and puts the rest aside; returns what became of each, in the same order.
   *
   * @param sequences is given the sequence of every event that is stored for the first time
   */
  static List<Receipt> store(
      Handle handle,
      String endpoint,
      List<Arrival> batch,
      Announcement announcement,
      Consumer<Long> sequences) {
    List<Arrival.Event> events = new ArrayList<>(batch.size());
    List<Arrival.Rejected> rejected = new ArrayList<>();
    for (Arrival arrival : batch) {
      if (arrival instanceof Arrival.Event event) {
        events.add(event);
      } else {
        rejected.add((Arrival.Rejected) arrival);
      }
    }
    boolean mixed = !events.isEmpty() && !rejected.isEmpty();
    Map<Arrival, Place> places = mixed ? nextPlaces(handle, batch) : Map.of();
    if (JoinedTransaction.isOn(handle.getConnection())) {
      announcement.isCommittedByCaller();
    }
    String notification = events.isEmpty() ? null : announcement.notification();
    List<Receipt> receipts =
        storeEvents(
            handle,
            endpoint,
            events,
            mixed ? events.stream().map(places::get).toList() : null,
            notification,
            sequences);
    if (receipts.contains(Receipt.STORED)) {
      announcement.stored();
    }
    for (int i = 0; i < events.size(); i++) {
      if (receipts.get(i) == Receipt.CONFLICT) {
        rejected.add(conflict(events.get(i)));
      }
    }
    if (!rejected.isEmpty()) {
      quarantine(handle, endpoint, rejected, places);
    }
    return inOrderOf(batch, receipts);
  }

  /** Where each is in the order of arrival, for those that will be events later, too. */
  @SuppressWarnings("IdentityHashMapUsage") // only looked up by the arrivals of this batch
  private static Map<Arrival, Place> nextPlaces(Handle handle, List<Arrival> batch) {
    List<Long> sequences =
        handle.createQuery(Sql.NEXT_PLACES).bind("count", batch.size()).mapTo(Long.class).list();
    Map<Arrival, Place> places = new IdentityHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      places.putIfAbsent(batch.get(i), new Place(sequences.get(i), null));
    }
    return places;
  }

  /**
   * Whether there may be something for the workers. A duplicate may be of a try whose answer was
   * lost, and of which nobody was told.
   */
  static boolean isToHandle(Receipt receipt) {
    return receipt == Receipt.STORED || receipt == Receipt.DUPLICATE;
  }

  /**
   * Stores events once; the receipts say which were there before, with the same body or not.
   *
   * @param places where they are in the order of arrival, or null for the next places
   * @param notification what others are told if something is stored, or null
   */
  static List<Receipt> storeEvents(
      Handle handle,
      String endpoint,
      List<Arrival.Event> events,
      @Nullable List<Place> places,
      @Nullable String notification,
      Consumer<Long> sequences) {
    if (events.isEmpty()) {
      return List.of();
    }
    Set<UUID> stored = insert(handle, endpoint, events, places, notification, sequences);
    if (stored.size() == events.size()) {
      return Collections.nCopies(events.size(), Receipt.STORED);
    }
    Receipt[] receipts = new Receipt[events.size()];
    List<Arrival.Event> seenBefore = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < receipts.length; i++) {
      if (stored.remove(events.get(i).messageId())) {
        receipts[i] = Receipt.STORED;
      } else {
        receipts[i] = Receipt.DUPLICATE;
        seenBefore.add(events.get(i));
        indexes.add(i);
      }
    }
    for (int ordinal : conflicts(handle, endpoint, seenBefore)) {
      receipts[indexes.get(ordinal - 1)] = Receipt.CONFLICT;
    }
    return Arrays.asList(receipts);
  }

  private static Set<UUID> insert(
      Handle handle,
      String endpoint,
      List<Arrival.Event> events,
      @Nullable List<Place> places,
      @Nullable String notification,
      Consumer<Long> sequences) {
    Query query = handle.createQuery(places == null ? Sql.STORE : Sql.STORE_AT);
    if (places != null) {
      query
          .bind("places", PgArray.longs(places, Place::sequence))
          .bind("arrivedOn", PgArray.texts(places, place -> text(place.arrivedAt())));
    }
    return query
        .bind("endpoint", endpoint)
        .bind("notification", notification)
        .bind("ids", PgArray.uuids(events, Arrival.Event::messageId))
        .bind("types", PgArray.texts(events, Arrival.Event::type))
        .bind("contentTypes", PgArray.texts(events, event -> event.delivery().contentType()))
        .bind("bodies", PgArray.bytes(events, event -> event.delivery().body()))
        .bind("headers", PgArray.texts(events, Arrival.Event::headers))
        .bind("correlationIds", PgArray.texts(events, event -> event.delivery().correlationId()))
        .bind("sources", PgArray.texts(events, event -> event.delivery().source()))
        .bind("redelivered", PgArray.booleans(events, event -> event.delivery().redelivered()))
        .bind("orderingKeys", PgArray.texts(events, Arrival.Event::orderingKey))
        .bind("notBefore", PgArray.texts(events, event -> text(event.notBefore())))
        .map(
            (row, context) -> {
              sequences.accept(row.getLong(2));
              return row.getObject(1, UUID.class);
            })
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private static List<Integer> conflicts(
      Handle handle, String endpoint, List<Arrival.Event> seenBefore) {
    return handle
        .createQuery(Sql.CONFLICTS)
        .bind("endpoint", endpoint)
        .bind("ids", PgArray.uuids(seenBefore, Arrival.Event::messageId))
        .bind("types", PgArray.texts(seenBefore, Arrival.Event::type))
        .bind("bodies", PgArray.bytes(seenBefore, event -> event.delivery().body()))
        .map((row, context) -> row.getInt(1))
        .list();
  }

  static Arrival.Rejected conflict(Arrival.Event event) {
    return new Arrival.Rejected(
        event.delivery(),
        event.headers(),
        QuarantineReason.ID_CONFLICT,
        "the id %s is stored with another body or type".formatted(event.messageId()));
  }

  private static void quarantine(
      Handle handle, String endpoint, List<Arrival.Rejected> rejected, Map<Arrival, Place> places) {
    handle
        .createUpdate(Sql.QUARANTINE)
        .bind("endpoint", endpoint)
        .bind("reasons", PgArray.texts(rejected, it -> it.reason().code()))
        .bind("details", PgArray.texts(rejected, Arrival.Rejected::detail))
        .bind("fingerprints", PgArray.uuids(rejected, Fingerprint::of))
        .bind("messageIds", PgArray.texts(rejected, it -> it.delivery().messageId()))
        .bind("types", PgArray.texts(rejected, it -> it.delivery().type()))
        .bind("contentTypes", PgArray.texts(rejected, it -> it.delivery().contentType()))
        .bind("contentEncodings", PgArray.texts(rejected, it -> it.delivery().contentEncoding()))
        .bind("correlationIds", PgArray.texts(rejected, it -> it.delivery().correlationId()))
        .bind("sources", PgArray.texts(rejected, it -> it.delivery().source()))
        .bind("headers", PgArray.texts(rejected, Arrival.Rejected::headers))
        .bind("bodies", PgArray.bytes(rejected, it -> it.delivery().body()))
        .bind("redelivered", PgArray.booleans(rejected, it -> it.delivery().redelivered()))
        .bind("places", PgArray.longs(rejected, it -> sequence(places.get(it))))
        .execute();
  }

  private static @Nullable Long sequence(@Nullable Place place) {
    return place == null ? null : place.sequence();
  }

  private static List<Receipt> inOrderOf(List<Arrival> batch, List<Receipt> ofEvents) {
    if (ofEvents.size() == batch.size()) {
      return ofEvents;
    }
    List<Receipt> receipts = new ArrayList<>(batch.size());
    int event = 0;
    for (Arrival arrival : batch) {
      receipts.add(arrival instanceof Arrival.Event ? ofEvents.get(event++) : Receipt.QUARANTINED);
    }
    return receipts;
  }
}
