package io.inbox4j.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.testkit.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The heartbeat while the database is away. */
@Timeout(120)
@Tag("slow")
class ProcessRegistrationTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void anOutageOfTheDatabaseIsOneWarningAndTheProcessIsListedAgainAfterwards() {
    Logger logger = (Logger) LoggerFactory.getLogger(ProcessRegistration.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    logger.setLevel(Level.DEBUG);
    try (PostgresServer server = PostgresServer.start();
        JdbiInboxStore store = JdbiInboxStore.create(server.dataSource())) {
      store.open();
      ProcessRegistration registration =
          new ProcessRegistration(
              store, "one", Map.of("orders", Set.of("created")), Duration.ofMillis(50));
      registration.update(false, true);
      await().atMost(LIMIT).until(() -> store.processes().size() == 1);
      server.kill9();
      await().atMost(LIMIT).until(() -> count(logged, Level.DEBUG) > 5);
      assertThat(count(logged, Level.WARN)).isEqualTo(1);
      server.restart();
      JdbiInboxStore again = JdbiInboxStore.create(server.dataSource());
      again.open();
      again.processes().forEach(it -> again.deregister(it.info().id()));
      await().atMost(LIMIT).until(() -> again.processes().size() == 1);
      registration.close(LIMIT);
      assertThat(again.processes()).isEmpty();
      again.close();
    } finally {
      logger.setLevel(null);
      logger.detachAppender(logged);
    }
  }

  @Test
  void aFrozenDatabaseHardlyDelaysTheEndOnceItsDeadlineHasPassed() {
    try (PostgresServer server = PostgresServer.start();
        JdbiInboxStore store = JdbiInboxStore.create(server.dataSource())) {
      store.open();
      ProcessRegistration registration =
          new ProcessRegistration(store, "one", Map.of(), Duration.ofMillis(50));
      registration.update(true, false);
      await().atMost(LIMIT).until(() -> store.processes().size() == 1);
      server.freeze();
      try {
        long begin = System.nanoTime();
        registration.close(Duration.ZERO);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
      } finally {
        server.unfreeze();
      }
    }
  }

  private static long count(ListAppender<ILoggingEvent> logged, Level level) {
    return List.copyOf(logged.list).stream().filter(it -> it.getLevel() == level).count();
  }
}
