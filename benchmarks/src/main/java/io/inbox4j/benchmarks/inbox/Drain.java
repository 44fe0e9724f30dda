package io.inbox4j.benchmarks;

import io.inbox4j.Inbox;
import io.inbox4j.InboxListener;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Retention;
import io.inbox4j.receive.Arrival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** From the tables through a handler: an inbox that only processes what is stored. */
record Drain(
    String name,
    EventHandler<OrderPlaced> handler,
    Consumer<SubscriptionBuilder> options,
    int poolSize,
    int maxMessages,
    Supplier<Arrival> next,
    Supplier<String> newDatabase)
    implements Contender {

  private static final String ENDPOINT = "benchmark.orders";
  private static final int FILL = 1_000;
  private static final int POOL = 20;
  private static final int MANY = Integer.MAX_VALUE;
  private static final int FEW = 6_000;

  /** A handler that does nothing. */
  static Drain noOp(Orders orders, Supplier<String> newDatabase) {
    return new Drain(
        "drain: no-op handler",
        (event, context) -> {},
        queue -> {},
        POOL,
        MANY,
        orders::nextArrival,
        newDatabase);
  }

  /** A handler that inserts one row of business, in the message's transaction. */
  static Drain insert(Orders orders, Supplier<String> newDatabase) {
    return new Drain(
        "drain: one business insert a message",
        Drain::insert,
        queue -> {},
        POOL,
        MANY,
        orders::nextArrival,
        newDatabase);
  }

  /** Every message in one ordering key, with as many in a commit as the inbox sees fit. */
  static Drain hotKey(Orders orders, Supplier<String> newDatabase, boolean inserts) {
    return hotKey("batches", inserts, SubscriptionBuilder::ordered, MANY, orders, newDatabase);
  }

  /** The same with one commit a message, as it is done by hand. */
  static Drain hotKeyOneByOne(Orders orders, Supplier<String> newDatabase, boolean inserts) {
    return hotKey(
        "a commit each", inserts, queue -> queue.ordered().batchSize(1), FEW, orders, newDatabase);
  }

  private static Drain hotKey(
      String how,
      boolean inserts,
      Consumer<SubscriptionBuilder> options,
      int maxMessages,
      Orders orders,
      Supplier<String> newDatabase) {
    return new Drain(
        "hot key, %s: %s".formatted(inserts ? "insert" : "no-op", how),
        inserts ? Drain::insert : (event, context) -> {},
        options,
        POOL,
        maxMessages,
        () -> orders.nextArrival("hot"),
        newDatabase);
  }

  /** Handlers that wait, many more than there are connections. */
  static Drain leased(
      Orders orders, Supplier<String> newDatabase, int handlers, int connections, Duration time) {
    return new Drain(
        "leased: %d × %d ms, %d connections".formatted(handlers, time.toMillis(), connections),
        (event, context) -> Thread.sleep(time.toMillis()),
        queue -> queue.leased().concurrency(handlers),
        connections,
        FEW,
        orders::nextArrival,
        newDatabase);
  }

  private static void insert(OrderPlaced event, EventContext context) {
    context
        .unwrap(Handle.class)
        .execute("INSERT INTO effects (name, amount) VALUES (?, ?)", event.order(), event.amount());
  }

  @Override
  public int messages(int others) {
    return Math.min(others, maxMessages);
  }

  @Override
  public double run(int messages) throws Exception {
    String url = newDatabase.get();
    CountDownLatch all = new CountDownLatch(messages);
    JdbiInboxStore store = JdbiInboxStore.builder(url).poolSize(poolSize).build();
    try (Inbox inbox =
        Inbox.builder()
            .store(store)
            .subscribe(ENDPOINT, queue -> options.accept(queue.on(OrderPlaced.class, handler)))
            .listener(new Counting(all))
            .retention(Retention.forever())
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
      batch.add(next.get());
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
