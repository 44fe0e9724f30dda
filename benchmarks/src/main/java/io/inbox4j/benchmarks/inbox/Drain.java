package io.inbox4j.benchmarks.inbox;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Orders;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Retention;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** From the tables through a handler: an inbox that only processes what is stored. */
public record Drain(
    String name,
    Consumer<SubscriptionBuilder> options,
    Inserts how,
    int poolSize,
    int maxMessages,
    Supplier<@Nullable String> keys)
    implements Contender {

  public static final String ENDPOINT = "benchmark.orders";
  public static final String IN_BATCHES = "Inbox, handler of batches";
  private static final String HANDED_OVER = "Inbox, handed-over writes";
  static final int POOL = 20;
  private static final int FILL = 1_000;
  private static final int MANY = Integer.MAX_VALUE;
  private static final int KEYS = 1_000;

  /** How handlers insert. */
  private enum Inserts {
    EACH,
    HANDED_OVER,
    TOGETHER
  }

  /** As it comes. */
  public static Drain usual() {
    return named("Inbox", queue -> {}, POOL);
  }

  /** With a handler that takes all messages that a worker has in flight. */
  public static Drain inBatches() {
    return new Drain(IN_BATCHES, queue -> {}, Inserts.TOGETHER, POOL, MANY, () -> null);
  }

  /** With a handler that leaves it to the inbox when its statement is sent. */
  public static Drain handedOver() {
    return new Drain(HANDED_OVER, queue -> {}, Inserts.HANDED_OVER, POOL, MANY, () -> null);
  }

  public static Drain withWorkers(int count) {
    return named(
        "%d workers".formatted(count), queue -> queue.concurrency(count), Math.max(POOL, count));
  }

  private static Drain named(String name, Consumer<SubscriptionBuilder> options, int poolSize) {
    return new Drain(name, options, Inserts.EACH, poolSize, MANY, () -> null);
  }

  /** In the order of keys, each as probable as the others. */
  public static Drain uniformKeys() {
    Random random = new Random(7);
    return ordered("1,000 keys, uniform", MANY, () -> "key " + random.nextInt(KEYS));
  }

  /** In the order of keys, the first half of all messages in a hundredth of them. */
  public static Drain skewedKeys() {
    Random random = new Random(7);
    return ordered(
        "1,000 keys, half of the messages in 10 of them",
        MANY,
        () -> "key " + random.nextInt(random.nextBoolean() ? 10 : KEYS));
  }

  /** Every message in one ordering key, with as many in a commit as the inbox sees fit. */
  public static Drain hotKey() {
    return ordered("one key", MANY, () -> "hot");
  }

  /** The same with one commit a message, as it is done by hand. */
  public static Drain hotKeyOneByOne() {
    return new Drain(
        "one key, a commit each",
        queue -> queue.ordered().batchSize(1),
        Inserts.EACH,
        POOL,
        4_000,
        () -> "hot");
  }

  private static Drain ordered(String name, int maxMessages, Supplier<@Nullable String> keys) {
    return new Drain(name, SubscriptionBuilder::ordered, Inserts.EACH, POOL, maxMessages, keys);
  }

  public Drain called(String other) {
    return new Drain(other, options, how, poolSize, maxMessages, keys);
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public int messages(int others) {
    return Math.min(others, maxMessages);
  }

  @Override
  public void run(Trial trial) throws Exception {
    try (JdbiInboxStore store =
        JdbiInboxStore.builder(trial.database()).poolSize(poolSize).build()) {
      run(trial, store);
    }
  }

  /** Drains with a store that may have been used before. */
  public void run(Trial trial, JdbiInboxStore store) throws Exception {
    CountDownLatch all = new CountDownLatch(trial.messages());
    try (Inbox inbox =
        Inbox.builder()
            .store(store)
            .subscribe(ENDPOINT, queue -> options.accept(handling(queue, trial.inserts())))
            .listener(counting(all))
            .retention(Retention.forever())
            .build()) {
      store.open();
      fill(store, ENDPOINT, trial.lab().orders(), trial.messages(), keys);
      trial.measure(
          () -> {
            inbox.startProcessing();
            all.await();
          });
    }
  }

  /** Stores messages that nobody handles yet. */
  public void store(String database, Orders orders, int messages) {
    try (JdbiInboxStore store = JdbiInboxStore.connect(database)) {
      store.open();
      fill(store, ENDPOINT, orders, messages, keys);
    }
  }

  /** Stores messages as receivers do. */
  static void fill(
      JdbiInboxStore store,
      String endpoint,
      Orders orders,
      int messages,
      Supplier<@Nullable String> keys) {
    for (int stored = 0; stored < messages; stored += FILL) {
      store.receive(endpoint, orders.arrivals(Math.min(FILL, messages - stored), keys));
    }
  }

  private SubscriptionBuilder handling(SubscriptionBuilder queue, boolean inserts) {
    return switch (how) {
      case EACH -> queue.on(OrderPlaced.class, handler(inserts));
      case HANDED_OVER -> queue.on(OrderPlaced.class, Drain::handOver);
      case TOGETHER -> queue.onBatch(OrderPlaced.class, Drain::insertAll);
    };
  }

  static EventHandler<OrderPlaced> handler(boolean inserts) {
    return inserts ? Drain::insert : (event, context) -> {};
  }

  static void insert(OrderPlaced event, EventContext context) {
    context.unwrap(Handle.class).execute(OrderPlaced.INSERT, event.order(), event.amount());
  }

  static void handOver(OrderPlaced event, EventContext context) {
    context.write(OrderPlaced.INSERT, event.order(), event.amount());
  }

  static void insertAll(List<? extends OrderPlaced> events, BatchContext<?> context) {
    PreparedBatch insert = context.unwrap(Handle.class).prepareBatch(OrderPlaced.INSERT);
    events.forEach(event -> insert.add(event.order(), event.amount()));
    insert.execute();
  }

  static InboxListener counting(CountDownLatch all) {
    return new InboxListener() {
      @Override
      public void processed(Processed event) {
        all.countDown();
      }
    };
  }
}
