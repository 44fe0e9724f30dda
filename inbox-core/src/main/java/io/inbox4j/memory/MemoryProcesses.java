package io.inbox4j.memory;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import io.inbox4j.store.ProcessRegistryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** The processes that are running. Must be called with the lock held. */
final class MemoryProcesses {

  private final MemoryTables tables;
  private final Instant now;

  MemoryProcesses(MemoryTables tables) {
    this.tables = tables;
    this.now = tables.now();
  }

  void register(ProcessInfo process, Duration uptime) {
    RunningProcess before = tables.processes.get(process.id());
    Instant started = before == null ? now.minus(uptime) : before.startedAt();
    tables.processes.put(process.id(), new RunningProcess(process, started, now));
  }

  boolean heartbeat(UUID id) {
    tables
        .processes
        .values()
        .removeIf(
            it ->
                !it.info().id().equals(id)
                    && !isSeen(it, ProcessRegistryStore.EXPIRY.multipliedBy(2)));
    return tables.processes.computeIfPresent(
            id, (key, it) -> new RunningProcess(it.info(), it.startedAt(), now))
        != null;
  }

  private boolean isSeen(RunningProcess process, Duration within) {
    return Duration.between(process.seenAt(), now).abs().compareTo(within) <= 0;
  }

  List<RunningProcess> running() {
    return tables.processes.values().stream()
        .filter(it -> isSeen(it, ProcessRegistryStore.EXPIRY))
        .sorted(
            Comparator.<RunningProcess, String>comparing(it -> it.info().name())
                .thenComparing(RunningProcess::startedAt)
                .thenComparing(it -> it.info().id()))
        .limit(ProcessRegistryStore.MAX_LISTED)
        .toList();
  }

  List<UnhandledType> unhandled(Collection<String> endpoints) {
    Stream<UnhandledType> pending =
        tables.pending.values().stream()
            .map(row -> new UnhandledType(row.endpoint(), row.message().type(), false));
    Stream<UnhandledType> quarantined =
        tables.quarantine.values().stream()
            .filter(row -> row.reason() == QuarantineReason.UNKNOWN_TYPE)
            .filter(row -> row.delivery().type() != null)
            .map(row -> new UnhandledType(row.endpoint(), row.delivery().type(), true));
    List<RunningProcess> running = running();
    return Stream.concat(pending, quarantined)
        .filter(it -> endpoints.contains(it.endpoint()))
        .distinct()
        .filter(it -> running.stream().noneMatch(process -> handles(process, it)))
        .sorted(
            Comparator.comparing(UnhandledType::endpoint)
                .thenComparing(UnhandledType::quarantined)
                .thenComparing(UnhandledType::type))
        .limit(ProcessRegistryStore.MAX_LISTED)
        .toList();
  }

  private static boolean handles(RunningProcess process, UnhandledType type) {
    return process.info().handled().getOrDefault(type.endpoint(), Set.of()).contains(type.type());
  }
}
