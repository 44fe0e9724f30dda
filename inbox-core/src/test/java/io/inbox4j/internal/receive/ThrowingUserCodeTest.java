package io.inbox4j.internal.receive;

import static io.inbox4j.internal.receive.Deliveries.right;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.format.KnownType;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whatever the code of a user throws at the door, the delivery is put aside with a reason; only
 * that there was no memory is no reason, because it may be another time.
 */
class ThrowingUserCodeTest {

  private static final ThreadLocal<Thrown> THROWN = new ThreadLocal<>();

  /** Throws what the test wants it to. */
  record Touchy(UUID messageId) implements IntegrationEvent {
    Touchy {
      if (THROWN.get() != null) {
        ThrowingUserCodeTest.<RuntimeException>sneak(THROWN.get().get());
      }
    }
  }

  @SuppressWarnings("ImmutableEnumChecker") // each makes the same over and over
  enum Thrown implements Supplier<Throwable> {
    UNCHECKED(() -> new IllegalStateException("SECRET")),
    CHECKED(() -> new IOException("SECRET")), // as Kotlin and Lombok allow
    ASSERTION(() -> new AssertionError("SECRET")),
    MISSING_CLASS(() -> new NoClassDefFoundError("SECRET")),
    INITIALIZER(() -> new ExceptionInInitializerError("SECRET")),
    STACK(() -> new StackOverflowError("SECRET")),
    MEMORY(() -> new OutOfMemoryError("SECRET")),
    ERROR(() -> new Error("SECRET")),
    THROWABLE(() -> new Throwable("SECRET"));

    private final Supplier<Throwable> supplier;

    Thrown(Supplier<Throwable> supplier) {
      this.supplier = supplier;
    }

    @Override
    public Throwable get() {
      return supplier.get();
    }

    /** Whether it would be the same if the message were looked at again. */
    boolean isForGood() {
      return this != MISSING_CLASS && this != INITIALIZER && this != MEMORY;
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofAnOrderingKey(Thrown thrown) {
    OrderingKeySource key =
        keyInEvent(
            event -> ThrowingUserCodeTest.<String, RuntimeException>sneaked(thrown, String.class));
    assertPutAside(check(key, EventTypes.of(List.of(Touchy.class))), touchy(), thrown);
  }

  @ParameterizedTest
  @EnumSource
  void ofAConstructor(Thrown thrown) {
    THROWN.set(thrown);
    try {
      assertPutAside(check(keyInEvent(), EventTypes.of(List.of(Touchy.class))), touchy(), thrown);
    } finally {
      THROWN.remove();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofAnUpcaster(Thrown thrown) {
    EventTypes<IntegrationEvent> types =
        EventTypes.<IntegrationEvent>builder()
            .add(
                "old",
                Touchy.class,
                tree ->
                    ThrowingUserCodeTest.<ObjectNode, RuntimeException>sneaked(
                        thrown, ObjectNode.class))
            .build();
    assertPutAside(check(keyInEvent(), types), right().type("old"), thrown);
  }

  @ParameterizedTest
  @EnumSource
  void ofAFormat(Thrown thrown) {
    EventTypes<IntegrationEvent> types = EventTypes.of(List.of(Touchy.class));
    for (boolean atTheId : List.of(true, false)) {
      assertPutAside(
          check(keyInEvent(), types, new Moody(thrown, atTheId)),
          touchy().contentType("text/moody"),
          thrown);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whenAMessageIsHandledWhatWouldBeTheSameNextTimeMakesItUnreadable(Thrown thrown) {
    EventReader reader =
        new EventReader(
            new JsonFormat(JsonFormat.defaultMapper()), List.of(new Moody(thrown, false)));
    assertThatThrownBy(
            () ->
                reader.read(
                    "text/moody",
                    new byte[1],
                    new KnownType<>(Touchy.class, null),
                    UUID.randomUUID()))
        .satisfies(
            e -> assertThat(e instanceof UnreadableEventException).isEqualTo(thrown.isForGood()));
  }

  private record Moody(Thrown thrown, boolean atTheId) implements EventFormat {

    @Override
    public Set<String> contentTypes() {
      return Set.of("text/moody");
    }

    @Override
    public @Nullable String messageIdIn(byte[] body) {
      return atTheId
          ? ThrowingUserCodeTest.<String, RuntimeException>sneaked(thrown, String.class)
          : null;
    }

    @Override
    public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
      return ThrowingUserCodeTest.<T, RuntimeException>sneaked(thrown, type.event());
    }
  }

  private static Deliveries touchy() {
    return right().type("touchy");
  }

  private static OrderingKeySource keyInEvent() {
    return keyInEvent(event -> "key");
  }

  private static OrderingKeySource keyInEvent(Function<IntegrationEvent, String> key) {
    return new OrderingKeySource.InEvent(
        List.of(new OrderingKeySource.KeyOf<>(IntegrationEvent.class, key)));
  }

  private static DeliveryValidator check(
      OrderingKeySource key, EventTypes<?> types, EventFormat... formats) {
    return new DeliveryValidator(
        types,
        MessageIdSource.ANY,
        new ReceiveLimits(1_000, 200),
        key,
        new EventReader(new JsonFormat(JsonFormat.defaultMapper()), List.of(formats)));
  }

  private static void assertPutAside(DeliveryValidator check, Deliveries delivery, Thrown thrown) {
    if (thrown == Thrown.MEMORY) {
      assertThatThrownBy(() -> check.check(delivery.delivery()))
          .isInstanceOf(OutOfMemoryError.class);
      return;
    }
    ValidatedDelivery arrival = check.check(delivery.delivery());
    assertThat(arrival).isInstanceOf(ValidatedDelivery.Rejected.class);
    ValidatedDelivery.Rejected rejected = (ValidatedDelivery.Rejected) arrival;
    assertThat(rejected.reason()).isEqualTo(QuarantineReason.UNREADABLE);
    assertThat(rejected.detail()).doesNotContain("SECRET");
    if (thrown.get() instanceof Error) {
      assertThat(rejected.detail()).contains(thrown.get().getClass().getName());
    }
  }

  private static <T, E extends Throwable> T sneaked(Thrown thrown, Class<? extends T> never)
      throws E {
    sneak(thrown.get());
    throw new IllegalStateException("not reached: " + never);
  }

  @SuppressWarnings("unchecked") // that is the trick
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
