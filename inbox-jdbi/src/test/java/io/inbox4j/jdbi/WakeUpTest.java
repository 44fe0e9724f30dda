package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that sleep for long unless somebody wakes them. */
@Timeout(120)
@Tag("slow")
class WakeUpTest {

  private static final Duration POLL = Duration.ofSeconds(60);
  private static final Duration SOON = Duration.ofSeconds(5);

  private final TestDatabase database = TestDatabase.fresh();
  private final InMemoryTransport transport = InMemoryTransport.create();

  /** One inbox receives and another processes, on one store. */
  @Test
  void anInboxHearsWhatAnotherStoresOnTheSameStore() throws InterruptedException {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    try (Inbox processing = inbox(store).build();
        Inbox receiving = inbox(store).transport(transport).build()) {
      processing.startProcessing();
      receiving.startReceiving();
      letItIdle();
      transport.deliver(Service.QUEUE, Service.deliveries(1));
      await().atMost(SOON).untilAsserted(() -> assertThat(database.effects()).containsExactly("0"));
    }
  }

  /** An inbox that nobody has started, for operators, beside one that processes. */
  @Test
  void anInboxHearsWhatAnotherReplaysFromTheQuarantineOnTheSameStore() throws InterruptedException {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    ValidatedDelivery.Event event = Messages.event(7);
    try (Inbox processing = inbox(store).build();
        Inbox operating = inbox(store).build()) {
      processing.startProcessing();
      letItIdle();
      store.receive(
          Service.QUEUE,
          List.of(
              new ValidatedDelivery.Rejected(
                  event.delivery(), null, QuarantineReason.INVALID_JSON, "was not valid")));
      operating.open();
      assertThat(operating.quarantine().replay(MessageFilter.all())).isEqualTo(1);
      await().atMost(SOON).untilAsserted(() -> assertThat(database.effects()).containsExactly("7"));
    }
  }

  @Test
  void whatWasStoredThoughTheAnswerWasLostWakesAWorker() throws InterruptedException {
    AtomicBoolean loseAnswer = new AtomicBoolean();
    JdbiInboxStore store = JdbiInboxStore.create(losing(database.dataSource(), loseAnswer));
    try (Inbox inbox = inbox(store).transport(transport).build()) {
      inbox.start();
      letItIdle();
      loseAnswer.set(true);
      List<Delivery> batch = Service.deliveries(1);
      assertThatThrownBy(() -> transport.deliver(Service.QUEUE, batch))
          .isInstanceOf(StoreUnavailableException.class);
      transport.deliver(Service.QUEUE, batch); // as a consumer does
      await().atMost(SOON).untilAsserted(() -> assertThat(database.effects()).containsExactly("0"));
    }
  }

  @Test
  void whatWasStoredBeforeItsNeighbourCouldBePutAsideWakesAWorker() throws InterruptedException {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    try (Inbox inbox = inbox(store).transport(transport).build()) {
      inbox.start();
      transport.deliver(Service.QUEUE, List.of(Messages.event(0).delivery()));
      await().atMost(SOON).until(() -> database.effects().size() == 1);
      letItIdle();
      List<Delivery> batch =
          List.of(Messages.event(1).delivery(), Messages.event(0, "{\"n\":99}").delivery());
      database.execute("ALTER TABLE inbox_quarantine RENAME TO inbox_away");
      assertThatThrownBy(() -> transport.deliver(Service.QUEUE, batch))
          .isInstanceOf(StoreUnavailableException.class);
      database.execute("ALTER TABLE inbox_away RENAME TO inbox_quarantine");
      transport.deliver(Service.QUEUE, batch);
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(database.effects()).containsExactly("0", "1"));
    }
  }

  /** The service was ordered once, and is not any more. */
  @Test
  void messagesWithAKeyFromFormerTimesAreHandledWithoutPauses() {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    store.open();
    store.receive(
        Service.QUEUE,
        IntStream.range(0, 64).<ValidatedDelivery>mapToObj(WakeUpTest::keyed).toList());
    try (Inbox inbox = inbox(store).build()) {
      inbox.startProcessing(); // one message between two pauses would take more than a minute
      await().atMost(Duration.ofSeconds(20)).until(() -> database.effects().size() == 64);
    }
  }

  @Test
  void messagesWithAndWithoutAKeyThatComeTogetherAreHandledTogether() {
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    store.open();
    try (Inbox inbox =
        inbox(store, queue -> queue.on(Created.class, Service::effect).ordered()).build()) {
      inbox.startProcessing();
      for (int n = 0; n < 100; n += 2) {
        int handled = n + 2;
        store.receive(Service.QUEUE, List.of(Messages.event(n), keyed(n + 1)));
        await().atMost(SOON).until(() -> database.effects().size() == handled);
      }
    }
  }

  private static ValidatedDelivery.Event keyed(int n) {
    ValidatedDelivery.Event e = Messages.event(n);
    return new ValidatedDelivery.Event(
        e.delivery(), e.headers(), e.messageId(), e.type(), "key " + n, null);
  }

  private InboxBuilder inbox(JdbiInboxStore store) {
    return inbox(store, queue -> queue.on(Created.class, Service::effect));
  }

  private static InboxBuilder inbox(
      JdbiInboxStore store, Consumer<SubscriptionBuilder> subscription) {
    return Inbox.builder()
        .store(store)
        .defaults(all -> all.concurrency(1).pollInterval(POLL))
        .subscribe(Service.QUEUE, subscription);
  }

  /**
   * Until workers have looked twice and wait for the poll interval: nothing shows that but time.
   */
  private static void letItIdle() throws InterruptedException {
    Thread.sleep(3_000);
  }

  /** Loses the connection once after the statement that stores has been executed and committed. */
  private static DataSource losing(DataSource real, AtomicBoolean armed) {
    return proxy(
        DataSource.class,
        real,
        (name, connection, arguments) ->
            name.equals("getConnection") ? losing((Connection) connection, armed) : connection);
  }

  private static Connection losing(Connection real, AtomicBoolean armed) {
    return proxy(
        Connection.class,
        real,
        (name, statement, arguments) ->
            name.equals("prepareStatement") && ((String) arguments[0]).contains(".inbox_messages (")
                ? losing(real, (PreparedStatement) statement, armed)
                : statement);
  }

  private static PreparedStatement losing(
      Connection connection, PreparedStatement real, AtomicBoolean armed) {
    return proxy(
        PreparedStatement.class,
        real,
        (name, result, arguments) -> {
          if (name.equals("execute")
              && connection.getAutoCommit()
              && armed.compareAndSet(true, false)) {
            connection.close();
            throw new SQLException("An I/O error occurred while reading the answer", "08006");
          }
          return result;
        });
  }

  private interface After {
    Object call(String name, Object result, Object[] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, T real, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return after.call(method.getName(), method.invoke(real, arguments), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
