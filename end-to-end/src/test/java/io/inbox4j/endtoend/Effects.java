package io.inbox4j.endtoend;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import org.jdbi.v3.core.Handle;

/** What the handlers of the tests do: one row each, in the transaction of the message. */
final class Effects {

  private Effects() {}

  static void placed(OrderPlaced event, EventContext context) throws Exception {
    context.commitWith(transaction -> record(transaction, event.order(), event.amount()));
  }

  static void cancelled(OrderCancelled event, EventContext context) {
    record(context, event.order(), 0);
  }

  static void record(EventTransaction transaction, String order, int amount) {
    transaction
        .unwrap(Handle.class)
        .execute("INSERT INTO effects VALUES (?, ?, pg_current_xact_id()::xid)", order, amount);
  }
}
