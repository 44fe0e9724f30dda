package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.store.WorkStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What must not end goes on after whatever it was made to throw. */
@Tag("slow")
@Timeout(60)
class SurvivalTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestDatabase database = TestDatabase.fresh();
  private final InMemoryTransport transport = InMemoryTransport.create();
  private final CountDownLatch renewals = new CountDownLatch(3);

  static Stream<Throwable> anything() {
    return Stream.of(
        new IOException("not declared"),
        new InterruptedException("not declared either"),
        new InternalError("of the virtual machine"),
        new IllegalStateException("a mistake"));
  }

  @ParameterizedTest
  @MethodSource("anything")
  void everyThreadOfALeasedSubscriptionGoesOnAfterTheDataSourceHasThrown(Throwable failure) {
    try (Inbox inbox =
        inbox(
            failure,
            queue ->
                queue
                    .on(Created.class, (event, context) -> renewals.await())
                    .leased(Duration.ofSeconds(1))
                    .concurrency(10))) {
      inbox.start();
      transport.deliver(Service.QUEUE, Service.deliveries(10));
      awaitProcessed(10);
      await().atMost(PATIENCE).until(() -> inbox.health().isUp());
    }
  }

  @ParameterizedTest
  @MethodSource("anything")
  void everyWorkerGoesOnAfterTheDataSourceHasThrown(Throwable failure) {
    try (Inbox inbox =
        inbox(failure, queue -> queue.on(Created.class, (event, context) -> {}).concurrency(4))) {
      inbox.start();
      transport.deliver(Service.QUEUE, Service.deliveries(10));
      awaitProcessed(10);
      await().atMost(PATIENCE).until(() -> inbox.health().isUp());
    }
  }

  private Inbox inbox(Throwable failure, Consumer<SubscriptionBuilder> subscription) {
    DataSource failing = new OnceFailing(database.url(), failure, renewals);
    return Inbox.builder()
        .store(JdbiInboxStore.builder(failing).notifications(false).build())
        .transport(transport)
        .defaults(all -> all.pollInterval(Duration.ofMillis(50)))
        .subscribe(Service.QUEUE, subscription)
        .build();
  }

  /** A data source that throws once on every thread of the inbox. */
  private static final class OnceFailing extends PGSimpleDataSource {

    private final transient Throwable failure;
    private final transient CountDownLatch renewals;
    private final transient Set<String> threads = ConcurrentHashMap.newKeySet();

    OnceFailing(String url, Throwable failure, CountDownLatch renewals) {
      setUrl(url);
      this.failure = failure;
      this.renewals = renewals;
    }

    @Override
    public Connection getConnection() throws SQLException {
      String thread = Thread.currentThread().getName();
      if (thread.startsWith("inbox-leases")) {
        renewals.countDown();
      }
      if (thread.startsWith("inbox-") && threads.add(thread)) {
        Sneaky.raise(failure);
      }
      return super.getConnection();
    }
  }

  private static <T> T proxy(Class<T> type, T target, Consumer<String> before) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              before.accept(method.getName());
              try {
                return method.invoke(target, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void awaitProcessed(int count) {
    await()
        .atMost(PATIENCE)
        .until(() -> database.count("SELECT count(*) FROM inbox_processed") == count);
  }

  @Test
  void listeningForNotificationsGoesOnAfterTheDataSourceHasThrown() {
    AtomicInteger failures = new AtomicInteger();
    DataSource failing =
        proxy(
            DataSource.class,
            database.dataSource(),
            call -> {
              if (Thread.currentThread().getName().equals("inbox-notifications")
                  && failures.getAndIncrement() < 2) {
                Sneaky.raise(new InternalError("of the virtual machine"));
              }
            });
    Queue<String> heard = new ConcurrentLinkedQueue<>();
    try (JdbiInboxStore listening = JdbiInboxStore.create(failing);
        JdbiInboxStore storing = Messages.store(database);
        WorkStore.Watch watch = listening.watch(heard::add, () -> heard.add("listening"))) {
      assertThat(watch).isNotNull();
      await().atMost(PATIENCE).until(() -> heard.contains("listening"));
      storing.receive(Service.QUEUE, Messages.events(1));
      await().atMost(PATIENCE).until(() -> heard.contains(Service.QUEUE));
    }
  }
}
