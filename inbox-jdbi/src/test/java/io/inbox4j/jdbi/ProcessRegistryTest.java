package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.ProcessInfo.Role;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.store.ProcessRegistryStore;
import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which processes are running, as an inbox sees it. */
class ProcessRegistryTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration EXPIRED = ProcessRegistryStore.EXPIRY.plusSeconds(25);

  @Test
  void aProcessIsListedWithItsRolesAndTypesAndGoneOnceItIsClosed() {
    try (Service reader = named("reader", TestDatabase.fresh());
        Service service = named("billing-7f9c", reader.database)) {
      reader.inbox.open();
      assertThat(reader.inbox.processes()).isEmpty();
      service.inbox.startReceiving();
      await().atMost(SOON).until(() -> roles(reader).equals(Set.of(Role.RECEIVING)));
      assertThat(reader.inbox.processesHandling(Service.QUEUE, Messages.TYPE)).isEmpty();
      service.inbox.startProcessing();
      await().atMost(SOON).until(() -> roles(reader).size() == 2);
      ProcessInfo info = reader.inbox.processes().get(0).info();
      assertThat(info.name()).isEqualTo("billing-7f9c");
      assertThat(info.pid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(info.handled()).isEqualTo(Map.of(Service.QUEUE, Set.of(Messages.TYPE)));
      assertThat(reader.inbox.processesHandling(Service.QUEUE, Messages.TYPE)).hasSize(1);
      service.close();
      assertThat(reader.inbox.processes()).isEmpty();
    }
  }

  @Test
  void servicesOnTheSameTablesAreListedTogether() {
    try (Service one = named("one", TestDatabase.fresh()).start();
        Service two = named("two", one.database).start()) {
      await().atMost(SOON).until(() -> names(one).equals(List.of("one", "two")));
      assertThat(names(two)).containsExactly("one", "two");
    }
  }

  @Test
  void anExpiredEntryIsIgnoredAtOnceAndRemovedByAnothersHeartbeat() {
    TestDatabase database = TestDatabase.fresh();
    try (Service one = named("one", database).start();
        JdbiInboxStore store = Messages.store(database)) {
      await().atMost(SOON).until(() -> names(one).equals(List.of("one")));
      database.execute("UPDATE inbox_processes SET seen_on_utc = now() - interval '1 minute'");
      assertThat(store.processes()).isEmpty();
      database.execute("UPDATE inbox_processes SET seen_on_utc = now() - interval '2 minutes'");
      store.heartbeat(UUID.randomUUID());
      assertThat(database.count("SELECT count(*) FROM inbox_processes")).isZero();
      await("registers again by itself")
          .atMost(SOON)
          .until(() -> names(one).equals(List.of("one")));
    }
  }

  @Test
  void aHeartbeatStaysInItsPage() {
    TestDatabase database = TestDatabase.fresh();
    try (JdbiInboxStore store = Messages.store(database)) {
      UUID id = UUID.randomUUID();
      store.register(
          new ProcessInfo(
              id, "one", "host", 1, "1", Set.of(Role.RECEIVING), Map.of("orders", Set.of())),
          Duration.ZERO);
      for (int i = 0; i < 1_000; i++) {
        assertThat(store.heartbeat(id)).isTrue();
      }
      assertThat(database.count("SELECT pg_relation_size('inbox_processes') / 8192"))
          .isLessThanOrEqualTo(2);
    }
  }

  @Test
  @Tag("slow")
  void aKilledProcessVanishesAndAFrozenOneComesBack() {
    try (Service reader = named("reader", TestDatabase.fresh())) {
      reader.inbox.open();
      try (ChildProcess killed = worker(reader.database, "killed");
          ChildProcess frozen = worker(reader.database, "frozen")) {
        await().atMost(SOON).until(() -> names(reader).equals(List.of("frozen", "killed")));
        frozen.stop();
        killed.kill9();
        await().atMost(EXPIRED).until(() -> names(reader).isEmpty());
        reader.database.execute("DELETE FROM inbox_processes");
        frozen.cont();
        await().atMost(SOON).until(() -> names(reader).equals(List.of("frozen")));
      }
    }
  }

  private static ChildProcess worker(TestDatabase database, String name) {
    ChildProcess worker = ChildProcess.start(RegisteredWorker.class, database.url(), name);
    worker.awaitLine("started", SOON);
    return worker;
  }

  private static Service named(String name, TestDatabase database) {
    return Service.with(
        database,
        builder ->
            builder
                .instanceName(name)
                .subscribe(Service.QUEUE, Created.class, (event, context) -> {}));
  }

  private static List<String> names(Service service) {
    return service.inbox.processes().stream()
        .map(RunningProcess::info)
        .map(ProcessInfo::name)
        .toList();
  }

  private static Set<Role> roles(Service service) {
    return service.inbox.processes().stream()
        .findFirst()
        .map(it -> it.info().roles())
        .orElse(Set.of());
  }
}
