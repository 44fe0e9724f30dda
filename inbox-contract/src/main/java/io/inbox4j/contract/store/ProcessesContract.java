package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.ProcessInfo.Role;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which processes are running, and what they handle. */
abstract class ProcessesContract extends ContractPart {

  private final UUID process = UUID.randomUUID();

  @AfterEach
  void leave() {
    another().deregister(process);
  }

  @Test
  void aRegisteredProcessIsListedWithAllThatIsKnownAboutIt() {
    ProcessInfo info = info(Set.of(Role.RECEIVING, Role.PROCESSING), TYPES);
    store.register(info, Duration.ofHours(1));
    RunningProcess found = found().get(0);
    assertThat(found.info()).isEqualTo(info);
    assertThat(found.startedAt())
        .isCloseTo(Instant.now().minus(1, ChronoUnit.HOURS), within(1, ChronoUnit.MINUTES));
    assertThat(found.seenAt()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
  }

  @Test
  void registeringAgainReplacesTheEntryAndKeepsItsStart() {
    store.register(info(Set.of(Role.RECEIVING), Set.of()), Duration.ofHours(1));
    Instant started = found().get(0).startedAt();
    ProcessInfo now = info(Set.of(Role.RECEIVING, Role.PROCESSING), TYPES);
    store.register(now, Duration.ofHours(1));
    assertThat(found()).extracting(RunningProcess::info).containsExactly(now);
    assertThat(found().get(0).startedAt()).isEqualTo(started);
  }

  @Test
  void aHeartbeatRenewsTheEntry() {
    store.register(info(Set.of(Role.RECEIVING), Set.of()), Duration.ZERO);
    Instant before = found().get(0).seenAt();
    assertThat(store.heartbeat(process)).isTrue();
    assertThat(found().get(0).seenAt()).isAfter(before);
  }

  @Test
  void aHeartbeatWithoutAnEntrySaysSo() {
    assertThat(store.heartbeat(process)).isFalse();
    assertThat(found()).isEmpty();
  }

  @Test
  void aProcessThatEndsIsNoLongerListed() {
    store.register(info(Set.of(Role.PROCESSING), TYPES), Duration.ZERO);
    store.deregister(process);
    assertThat(found()).isEmpty();
    store.deregister(process);
  }

  @Test
  void aPendingTypeThatNobodyHandlesIsReported() {
    receive(1);
    UnhandledType pending = new UnhandledType(endpoint, TYPE, false);
    assertThat(unhandled()).containsExactly(pending);
    store.register(info(Set.of(Role.RECEIVING), Set.of()), Duration.ZERO);
    assertThat(unhandled()).as("a receiver handles nothing").containsExactly(pending);
    store.register(info(Set.of(Role.PROCESSING), TYPES), Duration.ZERO);
    assertThat(unhandled()).isEmpty();
    store.deregister(process);
    assertThat(unhandled()).containsExactly(pending);
  }

  @Test
  void anUnknownTypeInQuarantineIsReportedAndOtherReasonsAreNot() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, "shipped", "one"),
            rejected(QuarantineReason.UNKNOWN_TYPE, "shipped", "two"),
            rejected(QuarantineReason.BAD_ID, "broken", "three")));
    assertThat(unhandled()).containsExactly(new UnhandledType(endpoint, "shipped", true));
    store.register(info(Set.of(Role.PROCESSING), Set.of("shipped")), Duration.ZERO);
    assertThat(unhandled()).isEmpty();
  }

  @Test
  void aTypeHandledAtAnotherEndpointDoesNotCount() {
    receive(1);
    store.register(
        new ProcessInfo(
            process, "me", "host", 1, "1", Set.of(Role.PROCESSING), Map.of("other", TYPES)),
        Duration.ZERO);
    assertThat(unhandled()).hasSize(1);
  }

  private List<UnhandledType> unhandled() {
    return store.unhandledTypes(List.of(endpoint));
  }

  private List<RunningProcess> found() {
    return store.processes().stream().filter(it -> it.info().id().equals(process)).toList();
  }

  private ProcessInfo info(Set<Role> roles, Set<String> types) {
    return new ProcessInfo(
        process, "billing-7f9c", "host", 4_711, "1.2.3", roles, Map.of(endpoint, types));
  }
}
