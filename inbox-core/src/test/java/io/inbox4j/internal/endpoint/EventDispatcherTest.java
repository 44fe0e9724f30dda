package io.inbox4j.internal.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.publish.PublishOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventDispatcherTest {

  record Created(UUID messageId) implements IntegrationEvent {}

  record Cancelled(UUID messageId) implements IntegrationEvent {}

  private static final UUID ID = new UUID(1, 2);

  private final List<String> calls = new ArrayList<>();

  @Test
  void anEventComesToTheHandlerOfItsClassWithItsContext() throws Exception {
    EventDispatcher dispatcher =
        EventDispatcher.builder()
            .on(Created.class, (event, context) -> calls.add("created by " + context.endpoint()))
            .on(Cancelled.class, (event, context) -> calls.add("cancelled " + event.messageId()))
            .build();
    dispatcher.dispatch(new Cancelled(ID), new BareContext());
    dispatcher.dispatch(new Created(ID), new BareContext());
    assertThat(calls).containsExactly("cancelled " + ID, "created by orders");
    assertThat(dispatcher.events()).containsExactlyInAnyOrder(Created.class, Cancelled.class);
  }

  @Test
  void aHandlerOfAllEventsCanTakeAnyOfThem() throws Exception {
    EventHandler<IntegrationEvent> all = (event, context) -> calls.add("any");
    EventDispatcher dispatcher = EventDispatcher.builder().on(Created.class, all).build();
    dispatcher.dispatch(new Created(ID), new BareContext());
    assertThat(calls).containsExactly("any");
  }

  @Test
  void whatAHandlerThrowsComesOutAsItIs() {
    IOException failure = new IOException("gone");
    EventDispatcher dispatcher =
        EventDispatcher.builder()
            .on(
                Created.class,
                (event, context) -> {
                  throw failure;
                })
            .build();
    assertThatThrownBy(() -> dispatcher.dispatch(new Created(ID), new BareContext()))
        .isSameAs(failure);
  }

  @Test
  void anEventWithoutAHandlerIsAnErrorThatNamesThoseThatHaveOne() {
    EventDispatcher dispatcher =
        EventDispatcher.builder().on(Created.class, (event, context) -> {}).build();
    assertThatThrownBy(() -> dispatcher.dispatch(new Cancelled(ID), new BareContext()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no handler for " + Cancelled.class.getName())
        .hasMessageContaining("handlers for: " + Created.class.getName());
  }

  @Test
  void aSecondHandlerOfTheSameClassIsRefused() {
    EventDispatcher.Builder builder =
        EventDispatcher.builder().on(Created.class, (event, context) -> {});
    assertThatThrownBy(() -> builder.on(Created.class, (event, context) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Created.class.getName())
        .hasMessageContaining("one handler");
  }

  @Test
  void aDelayBeforeNowIsRefused() {
    assertThatThrownBy(() -> RetryLater.after(Duration.ofSeconds(-1), "not yet"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-1S")
        .hasMessageContaining("zero to");
    assertThat(RetryLater.after(Duration.ZERO, "not yet").delay()).isZero();
  }

  private record BareContext() implements EventContext {

    @Override
    public String endpoint() {
      return "orders";
    }

    @Override
    public UUID messageId() {
      return ID;
    }

    @Override
    public String type() {
      return "created";
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public Map<String, @Nullable Object> headers() {
      return Map.of();
    }

    @Override
    public @Nullable String correlationId() {
      return null;
    }

    @Override
    public @Nullable String source() {
      return null;
    }

    @Override
    public Instant receivedAt() {
      return Instant.EPOCH;
    }

    @Override
    public boolean redelivered() {
      return false;
    }

    @Override
    public void commitWith(Effect effect) throws Exception {
      effect.apply(this);
    }

    @Override
    public void write(String statement, @Nullable Object... arguments) {
      throw new IllegalStateException("there is no transaction");
    }

    @Override
    public UUID publish(IntegrationEvent event, PublishOptions options) {
      throw new IllegalStateException("there is no transaction");
    }

    @Override
    public UUID send(String queue, IntegrationEvent command, PublishOptions options) {
      throw new IllegalStateException("there is no transaction");
    }

    @Override
    public <T> T unwrap(Class<T> type) {
      throw new IllegalArgumentException("there is no transaction");
    }
  }
}
