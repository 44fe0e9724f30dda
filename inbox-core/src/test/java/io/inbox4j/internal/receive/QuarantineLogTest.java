package io.inbox4j.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

class QuarantineLogTest {

  private final AtomicLong now = new AtomicLong();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private List<RunningProcess> running = List.of();
  private final AtomicInteger details = new AtomicInteger();
  private final QuarantineLog log = new QuarantineLog(() -> running, now::get, logger());

  private Logger logger() {
    return (Logger)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "warn" ->
                    warnings.add(
                        MessageFormatter.basicArrayFormat(
                            (String) arguments[0], (Object[]) arguments[1]));
                case "info" ->
                    notes.add(
                        MessageFormatter.basicArrayFormat(
                            (String) arguments[0], (Object[]) arguments[1]));
                case "debug" -> details.incrementAndGet();
                default -> throw new AssertionError(method);
              }
              return null;
            });
  }

  @Test
  void ofVeryManyDeliveriesThereAreAFewLinesWithTheirNumberAndAnExample() {
    for (int i = 0; i < 50_000; i++) {
      log.add("orders", QuarantineReason.BAD_ID, delivery("x", "id-" + i), "the type is 'x'");
    }
    assertThat(warnings)
        .containsExactly(
            "A delivery of orders is in quarantine as bad-id: the type is 'x'; id id-0");
    admission(QuarantineLog.INTERVAL.toNanos());
    log.report();
    log.report();
    assertThat(warnings)
        .hasSize(2)
        .last()
        .isEqualTo(
            "49999 more deliveries of orders are in quarantine as bad-id in 60 s, the last of"
                + " them: the type is 'x'; id id-49999");
    assertThat(details).hasValue(50_000);
  }

  @Test
  void anIntakeSaysItThisWay() {
    DeliveryValidator check =
        new DeliveryValidator(
            EventTypes.of(List.of()),
            MessageIdSource.ANY,
            new ReceiveLimits(1_000, 200),
            new OrderingKeySource.None(),
            new EventReader(new JsonFormat(JsonFormat.defaultMapper()), List.of()));
    StoringReceiver<IntegrationEvent> deliveryReceiver =
        new StoringReceiver<>(
            "orders",
            EventTypes.of(List.of()),
            check,
            batch ->
                new DeliveryWriter.Stored(
                    Collections.nCopies(batch.size(), StoreResult.QUARANTINED), () -> {}),
            () -> {},
            new SafeListener(List.of()),
            log);
    ValidatedDelivery unknown = deliveryReceiver.check(Deliveries.right().delivery());
    for (int i = 0; i < 10; i++) {
      deliveryReceiver.store(Collections.nCopies(100, unknown));
    }
    log.report();
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("1000 deliveries of orders are in quarantine because no running process")
        .endsWith("; id " + Deliveries.ID);
    assertThat(details).hasValue(1_000);
  }

  @Test
  void everyEndpointAndReasonIsSaidByItself() {
    log.add("orders", QuarantineReason.BAD_TIME, delivery("x", "a"), "why");
    log.add("orders", QuarantineReason.BAD_ID, delivery("x", null), "why");
    log.add("payments", QuarantineReason.BAD_TIME, delivery("x", "c"), "why");
    assertThat(warnings)
        .containsExactly(
            "A delivery of orders is in quarantine as bad-time: why; id a",
            "A delivery of orders is in quarantine as bad-id: why; id -",
            "A delivery of payments is in quarantine as bad-time: why; id c");
  }

  @Test
  void whatIsUnsaidAtTheEndIsSaidThen() {
    log.add("orders", QuarantineReason.BAD_ID, delivery("x", "a"), "why");
    log.add("orders", QuarantineReason.BAD_ID, delivery("x", "b"), "why");
    admission(3_000_000_000L);
    log.report();
    assertThat(warnings).hasSize(1);
    log.close();
    log.close();
    assertThat(warnings)
        .hasSize(2)
        .last()
        .isEqualTo("A delivery of orders is in quarantine as bad-id: why; id b");
  }

  @Test
  void anIdForgesNoLine() {
    log.add("orders", QuarantineReason.BAD_ID, delivery("x", "a\n12:00 ERROR forged"), "why");
    assertThat(warnings).first().asString().doesNotContain("\n").contains("\\u000a");
  }

  @Test
  void aTypeThatAnotherRunningProcessHandlesIsNoWarning() {
    running = List.of(process("payments", "shipped"), process("orders", "shipped"));
    log.add("orders", QuarantineReason.UNKNOWN_TYPE, delivery("shipped", "a"), "why");
    log.add("orders", QuarantineReason.UNKNOWN_TYPE, delivery("shipped", "b"), "why");
    log.add("orders", QuarantineReason.UNKNOWN_TYPE, delivery("lost", "c"), "the type is 'lost'");
    assertThat(warnings).isEmpty();
    log.report();
    assertThat(notes)
        .containsExactly(
            "2 deliveries of orders are of the type shipped, which this process does not know;"
                + " worker of orders handles it and takes them in");
    assertThat(warnings)
        .containsExactly(
            "1 deliveries of orders are in quarantine because no running process handles their"
                + " type, the last of them: the type is 'lost'; id c");
  }

  @Test
  void anUnknownTypeIsLoggedEvenIfItIsNotKnownWhichProcessesAreRunning() {
    QuarantineLog blind =
        new QuarantineLog(
            () -> {
              throw new IllegalStateException("no database");
            },
            now::get,
            logger());
    blind.add("orders", QuarantineReason.UNKNOWN_TYPE, delivery("shipped", "a"), "why");
    blind.report();
    assertThat(warnings)
        .containsExactly("A delivery of orders is in quarantine as unknown-type: why; id a");
  }

  private static RunningProcess process(String endpoint, String type) {
    return new RunningProcess(
        new ProcessInfo(
            UUID.randomUUID(),
            "worker of " + endpoint,
            "host",
            1,
            "1",
            Set.of(ProcessInfo.Role.PROCESSING),
            Map.of(endpoint, Set.of(type))),
        Instant.EPOCH,
        Instant.EPOCH);
  }

  private static Delivery delivery(String type, @Nullable String id) {
    return new Delivery(
        id, type, "application/json", null, null, null, Map.of(), new byte[0], false);
  }

  private void admission(long nanos) {
    now.addAndGet(nanos);
  }
}
