package io.inbox4j.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

class QuarantineLogTest {

  private final AtomicLong now = new AtomicLong();
  private final List<String> warnings = new ArrayList<>();
  private final AtomicInteger details = new AtomicInteger();
  private final QuarantineLog log = new QuarantineLog(now::get, logger());

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
                case "debug" -> details.incrementAndGet();
                default -> throw new AssertionError(method);
              }
              return null;
            });
  }

  @Test
  void ofVeryManyDeliveriesThereAreAFewLinesWithTheirNumberAndAnExample() {
    for (int i = 0; i < 50_000; i++) {
      log.add("orders", QuarantineReason.UNKNOWN_TYPE, "id-" + i, "the type is 'x'");
    }
    assertThat(warnings)
        .containsExactly(
            "A delivery of orders is in quarantine as unknown-type: the type is 'x'; id id-0");
    admission(QuarantineLog.INTERVAL.toNanos());
    log.report();
    log.report();
    assertThat(warnings)
        .hasSize(2)
        .last()
        .isEqualTo(
            "49999 more deliveries of orders are in quarantine as unknown-type in 60 s, the last of"
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
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("A delivery of orders is in quarantine as unknown-type: ")
        .endsWith("; id " + Deliveries.ID);
    assertThat(details).hasValue(1_000);
  }

  @Test
  void everyEndpointAndReasonIsSaidByItself() {
    log.add("orders", QuarantineReason.UNKNOWN_TYPE, "a", "why");
    log.add("orders", QuarantineReason.BAD_ID, null, "why");
    log.add("payments", QuarantineReason.UNKNOWN_TYPE, "c", "why");
    assertThat(warnings)
        .containsExactly(
            "A delivery of orders is in quarantine as unknown-type: why; id a",
            "A delivery of orders is in quarantine as bad-id: why; id -",
            "A delivery of payments is in quarantine as unknown-type: why; id c");
  }

  @Test
  void whatIsUnsaidAtTheEndIsSaidThen() {
    log.add("orders", QuarantineReason.BAD_ID, "a", "why");
    log.add("orders", QuarantineReason.BAD_ID, "b", "why");
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
    log.add("orders", QuarantineReason.BAD_ID, "a\n12:00 ERROR forged", "why");
    assertThat(warnings).first().asString().doesNotContain("\n").contains("\\u000a");
  }

  private void admission(long nanos) {
    now.addAndGet(nanos);
  }
}
