package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.Inbox;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkStore;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.transport.Delivery;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails for every message alike is no message's fault: none is put aside for it. */
@Timeout(120)
class UnrelatedFaultTest {

  @Test
  void aDataSourceThatThrowsWhatItLikesPutsNothingAside() {
    TestDatabase database = TestDatabase.fresh();
    AtomicInteger calls = new AtomicInteger(-1_000); // well until it is started
    DataSource moody =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getConnection") && isBad(calls.incrementAndGet())) {
                    throw new IllegalStateException("the pool has a bad day");
                  }
                  return method.invoke(database.dataSource(), arguments);
                });
    InMemoryTransport transport = InMemoryTransport.create();
    try (Inbox inbox = receiving(moody, transport)) {
      calls.set(0);
      int refused = deliverLikeAConsumer(transport, Service.deliveries(30));
      calls.set(-1_000);
      assertThat(refused).isPositive();
      assertThat(inbox.quarantine().list(MessageFilter.all(), 100)).isEmpty();
      assertThat(database.count("SELECT count(*) FROM inbox_messages")).isEqualTo(30);
    }
  }

  @Test
  void aSequenceThatWasLeftBehindPutsNothingAside() {
    TestDatabase database = TestDatabase.fresh();
    InMemoryTransport transport = InMemoryTransport.create();
    try (Inbox inbox = receiving(database.dataSource(), transport)) {
      List<Delivery> all = Service.deliveries(10);
      transport.deliver(Service.QUEUE, all.subList(0, 5));
      // as that of a logical replica is
      database.execute("ALTER TABLE inbox_messages ALTER COLUMN seq RESTART WITH 1");
      assertThatThrownBy(() -> transport.deliver(Service.QUEUE, all.subList(5, 10)))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("inbox_messages_seq");
      deliverLikeAConsumer(transport, all.subList(5, 10));
      assertThat(inbox.quarantine().list(MessageFilter.all(), 100)).isEmpty();
      assertThat(database.count("SELECT count(*) FROM inbox_messages")).isEqualTo(10);
    }
  }

  @Test
  void whenNoMoreNotificationsFitMessagesAreStoredAllTheSameAndOthersHearOfThemLater()
      throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      Jdbi jdbi = Jdbi.create(server.dataSource());
      boolean canBeSmall =
          jdbi.withHandle(
              handle ->
                  handle
                      .select("SELECT current_setting('server_version_num')::int >= 170000")
                      .mapTo(Boolean.class)
                      .one());
      Assumptions.assumeTrue(canBeSmall, "the queue of notifications is 8 GB before PostgreSQL 17");
      jdbi.useHandle(handle -> handle.execute("ALTER SYSTEM SET max_notify_queue_pages = 64"));
      server.restart();
      JdbiInboxStore.migrate(server.dataSource());
      CountDownLatch listening = new CountDownLatch(1);
      CountDownLatch heard = new CountDownLatch(1);
      try (InboxStore store = JdbiInboxStore.create(server.dataSource());
          InboxStore other = JdbiInboxStore.create(server.dataSource());
          WorkStore.Watch watch =
              other.watch(endpoint -> heard.countDown(), listening::countDown)) {
        assertThat(watch).isNotNull();
        listening.await();
        try (Handle idler = jdbi.open()) {
          idler.execute("LISTEN anything");
          idler.begin();
          idler.select("SELECT 1").mapTo(Integer.class).one(); // hears nothing until it is done
          assertThatThrownBy(() -> fillTheQueue(jdbi))
              .isInstanceOf(JdbiException.class)
              .hasMessageContaining("too many notifications");
          assertThat(store.receive(Messages.ENDPOINT, Messages.events(2)))
              .containsOnly(StoreResult.STORED);
          assertThat(
                  store.receive(
                      Messages.ENDPOINT, List.of(Messages.event(2), Messages.rejected("x", "y"))))
              .containsExactly(StoreResult.STORED, StoreResult.QUARANTINED);
          assertThat(heard.getCount()).isOne();
          idler.rollback();
        }
        assertThat(heard.await(60, TimeUnit.SECONDS)).as("others are told later").isTrue();
      }
    }
  }

  /** Every notification takes a page of the queue. */
  private static void fillTheQueue(Jdbi jdbi) {
    IntStream.range(0, 200)
        .forEach(
            n ->
                jdbi.useHandle(
                    handle ->
                        handle.execute("SELECT pg_notify('else', rpad(?, 7900, 'x'))", "" + n)));
  }

  private static boolean isBad(int call) {
    return call > 0 && call % 3 == 0;
  }

  private static Inbox receiving(DataSource dataSource, InMemoryTransport transport) {
    Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.create(dataSource))
            .transport(transport)
            .subscribe(Service.QUEUE, queue -> queue.receive(Created.class))
            .build();
    inbox.startReceiving();
    return inbox;
  }

  /** Tries again as long as the store is not there; how often it was not. */
  private static int deliverLikeAConsumer(InMemoryTransport transport, List<Delivery> deliveries) {
    int refused = 0;
    for (Delivery delivery : deliveries) {
      boolean stored = false;
      while (!stored) {
        try {
          transport.deliver(Service.QUEUE, List.of(delivery));
          stored = true;
        } catch (StoreUnavailableException e) {
          refused++;
        }
      }
    }
    return refused;
  }
}
