package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.Inbox;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.listener.Health;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiveMiddleware;
import io.inbox4j.transport.ReceiverState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What must not end goes on after whatever the code of a user or a transport has thrown. */
@Timeout(60)
class SurvivalTest {

  private final InMemoryTransport transport = InMemoryTransport.create();

  @Test
  void aPartOfTheHealthThatCannotBeLookedAtDoesNotHideTheOthers() {
    try (Inbox inbox =
        Inbox.builder()
            .store(InMemoryInboxStore.create())
            .transport(withoutState())
            .subscribe(Service.QUEUE, Created.class, (event, context) -> {})
            .build()) {
      inbox.start();
      assertThat(inbox.health().part("broker", Service.QUEUE).orElseThrow())
          .matches(part -> part.status() == Health.Status.DOWN)
          .matches(part -> part.detail().contains("could not be looked at"));
      assertThat(inbox.health().part("workers", Service.QUEUE)).isPresent();
    }
  }

  /** A transport whose receivers cannot say how they are. */
  private InboxTransport withoutState() {
    return new InboxTransport() {
      @Override
      public <T extends IntegrationEvent> Receiver receive(
          ReceiveEndpoint endpoint,
          DeliveryReceiver<T> deliveryReceiver,
          ConnectionListener listener) {
        Receiver receiver = transport.receive(endpoint, deliveryReceiver, listener);
        return new Receiver() {
          @Override
          public ReceiverState state() {
            throw new IllegalStateException("a mistake");
          }

          @Override
          public void close(Duration deadline) {
            receiver.close(deadline);
          }
        };
      }

      @Override
      public MessageSender openSender() {
        return transport.openSender();
      }

      @Override
      public void close() {
        transport.close();
      }
    };
  }

  @Test
  void whatAReceiveMiddlewareThrowsAfterTheStoringChangesNothing() {
    try (Service service =
        receiving(
            (endpoint, deliveries, next) -> {
              next.run();
              Sneaky.raise(new IOException("not declared"));
            })) {
      service.deliver(3);
      service.awaitAll("processed", 3);
      assertThat(service.heard.of("received")).hasSize(3);
    }
  }

  @Test
  void whatAReceiveMiddlewareThrowsBeforeTheStoringLetsTheDeliveriesBeTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    try (Service service =
        receiving(
            (endpoint, deliveries, next) -> {
              if (tries.incrementAndGet() == 1) {
                Sneaky.raise(new InternalError("of the virtual machine"));
              }
              next.run();
            })) {
      assertThatThrownBy(() -> service.deliver(3))
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("receive middleware")
          .hasMessageContaining("InternalError");
      service.deliver(3);
      service.awaitAll("processed", 3);
    }
  }

  @Test
  void aReceiveMiddlewareThatStoresNothingLosesNothing() {
    try (Service service = receiving((endpoint, deliveries, next) -> {})) {
      assertThatThrownBy(() -> service.deliver(3))
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("3 deliveries are not stored")
          .hasMessageContaining("did not call next.run()");
    }
  }

  private static Service receiving(ReceiveMiddleware middleware) {
    return Service.with(
            builder ->
                builder
                    .receiveMiddleware(middleware)
                    .subscribe(Service.QUEUE, Created.class, (event, context) -> {}))
        .start();
  }
}
