package io.inbox4j.benchmarks;

import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/** The drain with many old messages beside it, which a janitor removes meanwhile, or does not. */
record RetentionDrain(Orders orders, Supplier<String> newDatabase, int old, boolean removing)
    implements Contender {

  @Override
  public String name() {
    return removing ? "retention: drain, janitor at work" : "retention: drain, no janitor";
  }

  @Override
  public double run(int messages) throws Exception {
    String url = newDatabase.get();
    fill(url);
    AtomicBoolean over = new AtomicBoolean();
    Thread janitor = new Thread(() -> removeUntil(url, over), "janitor");
    if (removing) {
      janitor.start();
    }
    double rate = Drain.insert(orders, () -> url).run(messages);
    if (!janitor.isAlive() && removing) {
      System.out.println("     it was done before the drain was: more --old, or fewer --messages");
    }
    over.set(true);
    janitor.join();
    return rate;
  }

  /** Bodies of 1 KB, ids in the order of time. */
  private void fill(String url) {
    try (JdbiInboxStore store = JdbiInboxStore.connect(url)) {
      store.open();
    }
    Jdbi.create(url)
        .useHandle(
            handle -> {
              handle.execute(
                  "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered,"
                      + " received_on_utc) SELECT 'benchmark.old', lpad(to_hex(n), 32, '0')::uuid,"
                      + " 'old', decode(repeat('78', 1024), 'hex'), false,"
                      + " now() - interval '30 days' FROM generate_series(1, ?) n",
                  old);
              handle.execute(
                  "INSERT INTO inbox_processed SELECT seq, 1, received_on_utc FROM inbox_messages");
              handle.execute("ANALYZE");
            });
  }

  private static void removeUntil(String url, AtomicBoolean over) {
    try (JdbiInboxStore store = JdbiInboxStore.connect(url)) {
      RetentionReport report = store.retain(Retention.days(7), soFar -> !over.get());
      System.out.printf("     %,d old messages removed in %s%n", report.removed(), report.took());
    }
  }
}
