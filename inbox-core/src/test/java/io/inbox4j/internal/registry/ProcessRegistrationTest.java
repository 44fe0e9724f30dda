package io.inbox4j.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.store.InboxStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The heartbeat while the store is away. */
@Timeout(60)
class ProcessRegistrationTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void anOutageOfTheStoreIsOneWarningAndTheProcessIsListedAgainAfterwards() {
    Logger logger = (Logger) LoggerFactory.getLogger(ProcessRegistration.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    logger.setLevel(Level.DEBUG);
    InMemoryInboxStore store = InMemoryInboxStore.create();
    try {
      ProcessRegistration registration =
          new ProcessRegistration(
              store, "one", Map.of("orders", Set.of("created")), Duration.ofMillis(50));
      registration.update(Set.of(ProcessInfo.Role.PROCESSING));
      await().atMost(LIMIT).until(() -> store.processes().size() == 1);
      store.crash();
      await().atMost(LIMIT).until(() -> count(logged, Level.DEBUG) > 5);
      assertThat(count(logged, Level.WARN)).isEqualTo(1);
      store.restart();
      store.processes().forEach(it -> store.deregister(it.info().id()));
      await().atMost(LIMIT).until(() -> store.processes().size() == 1);
      registration.close(LIMIT);
      assertThat(store.processes()).isEmpty();
    } finally {
      logger.setLevel(null);
      logger.detachAppender(logged);
    }
  }

  @Test
  void aFrozenStoreHardlyDelaysTheEndOnceItsDeadlineHasPassed() {
    InMemoryInboxStore store = InMemoryInboxStore.create();
    CountDownLatch unfrozen = new CountDownLatch(1);
    AtomicBoolean frozen = new AtomicBoolean();
    InboxStore freezing =
        (InboxStore)
            Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(),
                new Class<?>[] {InboxStore.class},
                (proxy, method, arguments) -> {
                  if (frozen.get()) {
                    unfrozen.await();
                  }
                  return method.invoke(store, arguments);
                });
    ProcessRegistration registration =
        new ProcessRegistration(freezing, "one", Map.of(), Duration.ofMillis(50));
    registration.update(Set.of(ProcessInfo.Role.RECEIVING));
    await().atMost(LIMIT).until(() -> store.processes().size() == 1);
    frozen.set(true);
    long begin = System.nanoTime();
    registration.close(Duration.ZERO);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    unfrozen.countDown();
  }

  private static long count(ListAppender<ILoggingEvent> logged, Level level) {
    return List.copyOf(logged.list).stream().filter(it -> it.getLevel() == level).count();
  }
}
