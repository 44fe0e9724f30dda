package io.inbox4j.cli;

import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.handler.EventContext;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** An application as a user writes it: it notes every order in a table without a unique key. */
public final class OrderApplication implements InboxApplication {

  @Override
  public void configure(InboxBuilder inbox) {
    inbox
        .defaults(all -> all.pollInterval(Duration.ofMillis(200)).batchSize(20))
        .subscribe(Tables.BILLING, OrderPlaced.class, OrderApplication::note);
  }

  private static void note(OrderPlaced event, EventContext context) throws InterruptedException {
    Thread.sleep(2); // so that there is work in flight at any time
    context.unwrap(Handle.class).execute("INSERT INTO effects VALUES (?)", event.order());
  }
}
