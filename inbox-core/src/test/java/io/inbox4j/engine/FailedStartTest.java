package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.listener.Health;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.store.InboxStore;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A start that throws stops what it had started, and can be tried again. */
@Timeout(60)
class FailedStartTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String PLAIN = "start-plain";
  private static final String LEASED = "start-leased";
  private static final String REFUSED = "start-refused";

  private final InMemoryInboxStore database = InMemoryInboxStore.create();
  private final Refusing transport = new Refusing();
  private final AtomicReference<@Nullable Throwable> watchFails = new AtomicReference<>();

  static Stream<Throwable> anything() {
    return Stream.of(
        new InboxException("the queue exists with another argument"),
        new NoClassDefFoundError("com/example/Missing"),
        new IOException("not declared"));
  }

  @ParameterizedTest
  @MethodSource("anything")
  void aStartThatIsRefusedLeavesNothingRunning(Throwable refusal) {
    transport.refusal = refusal;
    try (Inbox inbox = inbox()) {
      assertThatThrownBy(inbox::start).isSameAs(refusal);
      awaitNoThreads();
      assertThat(transport.received).containsExactly(PLAIN, LEASED);
      assertThat(transport.closed).containsExactlyInAnyOrder(PLAIN, LEASED);
      assertThat(inbox.health().parts())
          .extracting(Health.Part::name)
          .doesNotContain("workers", "circuit", "broker", "consumers");
    }
  }

  @Test
  void whatWasInFlightIsFinishedBeforeAStartThatIsRefusedThrows() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    transport.refusal = new InboxException("refused");
    transport.beforeRefusal = begun;
    storeOne(PLAIN);
    try (Inbox inbox =
        Inbox.builder()
            .store(database.sibling())
            .transport(transport)
            .subscribe(
                PLAIN,
                Created.class,
                (event, context) -> {
                  begun.countDown();
                  Service.effect(event, context);
                })
            .subscribe(REFUSED, queue -> queue.receive(Created.class))
            .build()) {
      assertThatThrownBy(inbox::start).hasMessage("refused");
      assertThat(database.effects()).containsExactly("0");
      awaitNoThreads();
    }
  }

  @Test
  void anInboxWhoseStartWasRefusedCanBeStartedAgain() {
    transport.refusal = new InboxException("refused");
    try (Inbox inbox = inbox()) {
      inbox.open();
      inbox.control(LEASED).concurrency(7);
      assertThatThrownBy(inbox::start).hasMessage("refused");
      transport.refusal = null;
      inbox.start();
      assertThat(inbox.control(LEASED).concurrency()).isEqualTo(7);
      for (String queue : List.of(PLAIN, LEASED, REFUSED)) {
        transport.memory.deliver(queue, Service.deliveries(3));
      }
      await().atMost(PATIENCE).until(() -> database.effects().size() == 9);
      await().atMost(PATIENCE).until(() -> inbox.health().isUp());
      assertThat(inbox.health().parts())
          .filteredOn(part -> part.name().equals("workers"))
          .hasSize(3);
      assertThatThrownBy(inbox::start).hasMessageContaining("receiving already");
      assertThat(threads()).isNotEmpty();
    }
    awaitNoThreads();
  }

  @Test
  void processingThatWasStartedBeforeGoesOnWhenReceivingIsRefused() {
    transport.refusal = new InboxException("refused");
    try (Inbox inbox = inbox()) {
      inbox.startProcessing();
      assertThatThrownBy(inbox::startReceiving).hasMessage("refused");
      assertThat(transport.closed).containsExactlyInAnyOrder(PLAIN, LEASED);
      storeOne(PLAIN);
      await().atMost(PATIENCE).until(() -> database.effects().size() == 1);
      transport.refusal = null;
      inbox.startReceiving();
      transport.memory.deliver(REFUSED, Service.deliveries(1));
      await().atMost(PATIENCE).until(() -> database.effects().size() == 2);
    }
  }

  @Test
  void aStoreThatCannotBeWatchedLeavesNothingRunningEither() {
    watchFails.set(new OutOfMemoryError("unable to create native thread"));
    try (Inbox inbox = inbox()) {
      assertThatThrownBy(inbox::start).isInstanceOf(OutOfMemoryError.class);
      awaitNoThreads();
      assertThat(transport.received).isEmpty();
      watchFails.set(null);
      inbox.start();
      transport.memory.deliver(LEASED, Service.deliveries(2));
      await().atMost(PATIENCE).until(() -> database.effects().size() == 2);
    }
  }

  private Inbox inbox() {
    return Inbox.builder()
        .store(watched(database.sibling()))
        .transport(transport)
        .defaults(all -> all.pollInterval(Duration.ofMillis(50)))
        .subscribe(PLAIN, Created.class, Service::effect)
        .subscribe(
            LEASED,
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) ->
                            context.commitWith(
                                transaction ->
                                    Service.effect(transaction, String.valueOf(event.n()))))
                    .leased())
        .subscribe(REFUSED, queue -> queue.on(Created.class, Service::effect).inline())
        .build();
  }

  private InboxStore watched(InboxStore store) {
    return (InboxStore)
        Proxy.newProxyInstance(
            InboxStore.class.getClassLoader(),
            new Class<?>[] {InboxStore.class},
            (proxy, method, args) -> {
              Throwable failure = watchFails.get();
              if (method.getName().equals("watch") && failure != null) {
                throw failure;
              }
              try {
                return method.invoke(store, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void storeOne(String queue) {
    database.receive(
        queue,
        List.of(
            new ValidatedDelivery.Event(Messages.created(0), null, Messages.id(0), Messages.TYPE)));
  }

  private static void awaitNoThreads() {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads()).isEmpty());
  }

  /** The threads of inboxes, except for those that watch an open store. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .filter(thread -> thread.getName().startsWith("inbox-"))
        .map(Thread::getName)
        .filter(name -> !name.startsWith("inbox-health") && !name.equals("inbox-notify"))
        .toList();
  }

  /** A transport that refuses one queue. */
  private static final class Refusing implements InboxTransport {

    private final InMemoryTransport memory = InMemoryTransport.create();
    private final List<String> received = new ArrayList<>();
    private final List<String> closed = Collections.synchronizedList(new ArrayList<>());
    private @Nullable Throwable refusal;
    private CountDownLatch beforeRefusal = new CountDownLatch(0);

    @Override
    public <T extends IntegrationEvent> Receiver receive(
        ReceiveEndpoint endpoint,
        DeliveryReceiver<T> deliveryReceiver,
        ConnectionListener listener) {
      if (endpoint.queue().equals(REFUSED) && refusal != null) {
        try {
          beforeRefusal.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        Sneaky.raise(refusal);
      }
      received.add(endpoint.queue());
      Receiver receiver = memory.receive(endpoint, deliveryReceiver, listener);
      return new Receiver() {
        @Override
        public ReceiverState state() {
          return receiver.state();
        }

        @Override
        public void close(Duration deadline) {
          receiver.close(deadline);
          closed.add(endpoint.queue());
        }
      };
    }

    @Override
    public MessageSender openSender() {
      return memory.openSender();
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
