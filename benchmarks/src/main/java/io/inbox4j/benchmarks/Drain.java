package io.inbox4j.benchmarks;

import io.inbox4j.Inbox;
import io.inbox4j.InboxListener;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.receive.Arrival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** From the tables through a handler: an inbox that only processes what is stored. */
record Drain(
    String name, EventHandler<OrderPlaced> handler, Orders orders, Supplier<String> newDatabase)
    implements Contender {

  private static final String ENDPOINT = "benchmark.orders";
  private static final int FILL = 1_000;

  /** A handler that does nothing. */
  static Drain noOp(Orders orders, Supplier<String> newDatabase) {
    return new Drain("drain: no-op handler", (event, context) -> {}, orders, newDatabase);
  }

  /** A handler that inserts one row of business, in the message's transaction. */
  static Drain insert(Orders orders, Supplier<String> newDatabase) {
    return new Drain(
        "drain: one business insert a message",
        (event, context) ->
            context
                .unwrap(Handle.class)
                .execute(
                    "INSERT INTO effects (name, amount) VALUES (?, ?)",
                    event.order(),
                    event.amount()),
        orders,
        newDatabase);
  }

  @Override
  public double run(int messages) throws Exception {
    String url = newDatabase.get();
    CountDownLatch all = new CountDownLatch(messages);
    JdbiInboxStore store = JdbiInboxStore.connect(url);
    try (Inbox inbox =
        Inbox.builder()
            .store(store)
            .subscribe(ENDPOINT, OrderPlaced.class, handler)
            .listener(new Counting(all))
            .build()) {
      store.open();
      Jdbi.create(url).useHandle(h -> h.execute("CREATE TABLE effects (name text, amount int)"));
      for (int stored = 0; stored < messages; stored += FILL) {
        store.receive(ENDPOINT, batch(Math.min(FILL, messages - stored)));
      }
      Jdbi.create(url).useHandle(h -> h.execute("CHECKPOINT"));
      long begin = System.nanoTime();
      inbox.startProcessing();
      all.await();
      return Contender.rate(messages, begin);
    }
  }

  private List<Arrival> batch(int size) {
    List<Arrival> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      batch.add(orders.nextArrival());
    }
    return batch;
  }

  private record Counting(CountDownLatch all) implements InboxListener {

    @Override
    public void processed(Message message, int attempt, Duration lag) {
      all.countDown();
    }
  }
}
