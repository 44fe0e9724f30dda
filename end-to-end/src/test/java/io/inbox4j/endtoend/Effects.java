package io.inbox4j.endtoend;

import io.inbox4j.handler.EventContext;
import org.jdbi.v3.core.Handle;

/** What the handlers of the tests do: one row each, in the transaction of the message. */
final class Effects {

  private Effects() {}

  static void placed(OrderPlaced event, EventContext context) {
    record(context, event.order(), event.amount());
  }

  static void cancelled(OrderCancelled event, EventContext context) {
    record(context, event.order(), 0);
  }

  static void record(EventContext context, String order, int amount) {
    context
        .unwrap(Handle.class)
        .execute("INSERT INTO effects VALUES (?, ?, pg_current_xact_id()::xid)", order, amount);
  }
}
