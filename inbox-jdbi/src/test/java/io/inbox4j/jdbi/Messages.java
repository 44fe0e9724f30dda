package io.inbox4j.jdbi;

import io.inbox4j.event.MessageIds;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Messages of the endpoint {@code orders}. */
final class Messages {

  static final String ENDPOINT = "orders";
  static final String TYPE = "created";
  static final Set<String> TYPES = Set.of(TYPE);

  private Messages() {}

  static UUID id(int n) {
    return MessageIds.of("order", n);
  }

  static ValidatedDelivery.Event event(int n) {
    return event(n, "{\"n\":" + n + "}");
  }

  static ValidatedDelivery.Event event(int n, String body) {
    return new ValidatedDelivery.Event(
        delivery(id(n).toString(), TYPE, "correlation", "shop", body), null, id(n), TYPE);
  }

  /** This many messages, from 0 on. */
  static List<ValidatedDelivery> events(int count) {
    return IntStream.range(0, count).<ValidatedDelivery>mapToObj(Messages::event).toList();
  }

  static ValidatedDelivery.Rejected rejected(String type, String detail) {
    return new ValidatedDelivery.Rejected(
        delivery("x", type, "correlation", "shop", "{}"),
        null,
        QuarantineReason.UNKNOWN_TYPE,
        detail);
  }

  static Delivery delivery(String id, String type, String correlation, String source, String body) {
    return new Delivery(
        id,
        type,
        "application/json",
        null,
        correlation,
        source,
        Map.of(),
        body.getBytes(StandardCharsets.UTF_8),
        false);
  }

  /** A store on the user's own data source, opened. */
  static JdbiInboxStore store(TestDatabase database) {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    store.open();
    return store;
  }

  /** Claims up to this many, gives each an outcome, and commits. */
  static List<ClaimedMessage> settle(
      JdbiInboxStore store, int limit, Function<Long, Outcome> outcome) {
    try (WorkTransaction transaction = store.begin(ENDPOINT)) {
      List<ClaimedMessage> messages = transaction.claim(TYPES, limit);
      transaction.commit(messages.stream().map(it -> outcome.apply(it.sequence())).toList());
      return messages;
    }
  }
}
