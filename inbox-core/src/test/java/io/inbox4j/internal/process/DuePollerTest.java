package io.inbox4j.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DuePollerTest {

  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Map<String, Duration> BOTH = Map.of("orders", OFTEN, "invoices", OFTEN);

  private final InMemoryInboxStore store = InMemoryInboxStore.create();
  private final Queue<String> woken = new ConcurrentLinkedQueue<>();

  private void receive(String endpoint) {
    UUID id = UUID.randomUUID();
    Delivery delivery =
        new Delivery(
            id.toString(), "created", null, null, null, null, Map.of(), new byte[2], false);
    store.receive(
        endpoint, List.of(new ValidatedDelivery.Event(delivery, null, id, "created", null, null)));
  }

  @Test
  void onlyWhereSomethingIsDueAWorkerIsWoken() {
    store.open();
    receive("orders");
    DuePoller poller = new DuePoller(store, BOTH, woken::add).start();
    await().until(() -> woken.size() >= 3);
    poller.close();
    assertThat(woken).containsOnly("orders");
  }

  @Test
  void oneQueryIsForAllEndpoints() {
    store.open();
    AtomicInteger queries = new AtomicInteger();
    InboxStore counting = intercepted(queries::incrementAndGet);
    DuePoller poller = new DuePoller(counting, BOTH, woken::add).start();
    receive("orders");
    receive("invoices");
    await().until(() -> woken.size() >= 6);
    poller.close();
    assertThat(queries.get()).isLessThan(woken.size());
    assertThat(woken).contains("orders", "invoices");
  }

  /** They find out for themselves, and report it. */
  @Test
  void whereTheStoreDoesNotAnswerAllWorkersAreWoken() {
    InboxStore failing =
        intercepted(
            () -> {
              throw new StoreUnavailableException("it is away", new IllegalStateException());
            });
    DuePoller poller = new DuePoller(failing, BOTH, woken::add).start();
    await().until(() -> woken.contains("orders") && woken.contains("invoices"));
    poller.close();
  }

  private InboxStore intercepted(Runnable before) {
    return (InboxStore)
        Proxy.newProxyInstance(
            InboxStore.class.getClassLoader(),
            new Class<?>[] {InboxStore.class},
            (proxy, method, arguments) -> {
              before.run();
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
