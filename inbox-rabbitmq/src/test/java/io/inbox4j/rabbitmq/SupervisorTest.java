package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport.Receiver;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import io.inbox4j.transport.Topology;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Receiving goes on, whatever others throw. */
@Tag("slow")
class SupervisorTest {

  private static final String SECRET = "4929-1234-5678-9012";

  private final String queue = "supervised-" + UUID.randomUUID();
  private final RabbitTransport transport = RabbitTransport.connect(RabbitServer.shared().uri());
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private Connection connection;
  private Channel producer;

  @BeforeEach
  void connect() throws Exception {
    connection = RabbitTransport.settings(RabbitServer.shared().uri()).newConnection();
    producer = connection.createChannel();
    producer.confirmSelect();
    logged.start();
    logger().addAppender(logged);
  }

  @AfterEach
  void disconnect() {
    logger().detachAppender(logged);
    transport.close();
    connection.abort(2_000);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.inbox4j.rabbitmq");
  }

  @Test
  void anIntakeThatFailsForLongIsWaitedForAndWhatItThrowsIsNotLogged() throws Exception {
    AtomicBoolean failing = new AtomicBoolean(true);
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              if (failing.get()) {
                throw new AssertionError(SECRET, new IllegalStateException(SECRET));
              }
            });
    Heard heard = new Heard();
    Receiver receiver = transport.receive(endpoint(), deliveryReceiver, heard);
    publish(30);
    eventually(() -> assertThat(heard.disconnected).hasSize(1));
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(30));
    ReceiverState state = receiver.state();
    assertThat(state.connected()).isTrue();
    assertThat(state.consumers()).isZero();
    assertThat(state.failure())
        .contains("nothing is taken until it can be stored: java.lang.AssertionError")
        .doesNotContain(SECRET);

    failing.set(false);
    eventually(() -> assertThat(deliveryReceiver.stored()).contains("m0", "m29"));
    eventually(() -> assertThat(receiver.state().consumers()).isOne());
    assertThat(heard.connected).hasValue(2);
    assertThat(heard.disconnected).hasSize(1);
    assertThat(lines())
        .noneMatch(line -> line.contains(SECRET))
        .filteredOn(line -> line.contains("at " + getClass().getName()))
        .as("where it was thrown is said once")
        .hasSize(1);
  }

  @Test
  void aListenerThatThrowsAnythingAndInterruptsDoesNotEndIt() throws Exception {
    RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
    Heard heard =
        new Heard() {
          @Override
          public void connected(String endpoint) {
            super.connected(endpoint);
            Thread.currentThread().interrupt();
            throw undeclared(new IOException(SECRET));
          }

          @Override
          public void disconnected(String endpoint, Throwable cause) {
            super.disconnected(endpoint, cause);
            Thread.currentThread().interrupt();
            throw new OutOfMemoryError(SECRET);
          }
        };
    transport.receive(endpoint(), deliveryReceiver, heard);
    for (int i = 1; i <= 3; i++) {
      int times = i;
      eventually(() -> assertThat(heard.connected).hasValue(times));
      producer.basicPublish("", queue, null, ("n" + i).getBytes(StandardCharsets.UTF_8));
      eventually(() -> assertThat(deliveryReceiver.stored()).hasSize(times));
      RabbitServer.shared().deleteQueue(queue);
    }
    eventually(() -> assertThat(heard.connected).hasValue(4));
    assertThat(heard.disconnected)
        .hasSize(3)
        .allSatisfy(cause -> assertThat(cause).hasMessageContaining("its queue is gone"));
    assertThat(lines())
        .noneMatch(line -> line.contains(SECRET))
        .anyMatch(line -> line.contains("at " + heard.getClass().getName() + ".connected("));
  }

  @Test
  void aLogThatFailsDoesNotEndIt() throws Exception {
    AtomicInteger lines = new AtomicInteger();
    AppenderBase<ILoggingEvent> full =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            lines.incrementAndGet();
            throw new OutOfMemoryError("no memory to log");
          }
        };
    full.setContext(logger().getLoggerContext());
    full.start();
    logger().addAppender(full);
    try {
      RecordingReceiver deliveryReceiver = new RecordingReceiver(deliveries -> {});
      Heard heard = new Heard();
      transport.receive(endpoint(), deliveryReceiver, heard);
      RabbitServer.shared().deleteQueue(queue);
      eventually(() -> assertThat(heard.connected).hasValue(2));
      assertThat(heard.disconnected).hasSize(1);
      assertThat(lines).hasPositiveValue();
    } finally {
      logger().detachAppender(full);
    }
  }

  @Test
  void closingWhileTheStoreIsAwayDoesNotWaitForIt() throws Exception {
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              throw new IllegalStateException("away");
            });
    Heard heard = new Heard();
    Receiver receiver = transport.receive(endpoint(), deliveryReceiver, heard);
    publish(1);
    eventually(() -> assertThat(heard.disconnected).hasSize(1));
    receiver.close(Duration.ofSeconds(30));
    int calls = deliveryReceiver.calls();
    await()
        .during(Duration.ofMillis(200))
        .atMost(Duration.ofSeconds(5))
        .until(() -> deliveryReceiver.calls() == calls);
    assertThat(producer.messageCount(queue)).isOne();
  }

  @Test
  void whatThereIsNoMemoryToStoreTogetherIsStoredOneByOne() throws Exception {
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              if (deliveries.size() > 1) {
                throw new OutOfMemoryError("Java heap space");
              }
            });
    publishTo(declared(), 30);
    Heard heard = new Heard();
    transport.receive(endpoint(), deliveryReceiver, heard);
    eventually(() -> assertThat(Set.copyOf(deliveryReceiver.stored())).hasSize(30));
    assertThat(heard.disconnected).isNotEmpty();
  }

  @Test
  void whatThereWasNoMemoryToLookAtIsLookedAtAgain() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    RecordingReceiver deliveryReceiver = forgetful(() -> looks.getAndIncrement() < 5);
    publishTo(declared(), 10);
    transport.receive(endpoint(), deliveryReceiver, new Heard());
    eventually(() -> assertThat(Set.copyOf(deliveryReceiver.stored())).hasSize(10));
    assertThat(looks.get()).isGreaterThan(5);
    assertThat(details(deliveryReceiver)).containsOnly("not looked at");
  }

  @Test
  void whatNeedsMoreMemoryThanThereIsIsPutAsideAndTheOthersGoOn() throws Exception {
    RecordingReceiver deliveryReceiver = forgetful(() -> true);
    publishTo(declared(), 10);
    transport.receive(endpoint(), deliveryReceiver, new Heard());
    eventually(() -> assertThat(Set.copyOf(deliveryReceiver.stored())).hasSize(10));
    assertThat(details(deliveryReceiver))
        .filteredOn(detail -> !detail.equals("not looked at"))
        .singleElement()
        .asString()
        .contains("it could not be looked at: java.lang.OutOfMemoryError");
  }

  /** A receiver that has no memory to look at one of the messages. */
  private static RecordingReceiver forgetful(BooleanSupplier hasNoMemory) {
    return new RecordingReceiver(deliveries -> {}) {
      @Override
      public ValidatedDelivery check(Delivery delivery) {
        if (new String(delivery.body(), StandardCharsets.UTF_8).equals("m3")
            && hasNoMemory.getAsBoolean()) {
          throw new OutOfMemoryError("Java heap space");
        }
        return super.check(delivery);
      }
    };
  }

  private static List<String> details(RecordingReceiver deliveryReceiver) {
    return deliveryReceiver.arrivals().stream()
        .map(it -> ((ValidatedDelivery.Rejected) it).detail())
        .toList();
  }

  private String declared() throws IOException {
    return producer
        .queueDeclare(
            queue, true, false, false, RabbitTransport.queueArguments(queue, endpoint().topology()))
        .getQueue();
  }

  /**
   * Whoever closes it does not wait for longer than asked, and what connects meanwhile ends too.
   */
  @Test
  void closingWhileItConnectsLeavesNoThreadBehind() throws Exception {
    AtomicBoolean slow = new AtomicBoolean();
    CountDownLatch connecting = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    ConnectionFactory settings = RabbitTransport.settings(RabbitServer.shared().uri());
    settings.setSocketConfigurator(
        socket -> {
          if (slow.get()) {
            connecting.countDown();
            awaitQuietly(closed);
          }
        });
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              throw new IllegalStateException("away");
            });
    RabbitTransport slowly = RabbitTransport.connect(settings);
    Receiver receiver =
        slowly.receive(
            new ReceiveEndpoint(queue, Topology.classic(), List.of(), 3, 100, 10),
            deliveryReceiver,
            new Heard());
    slow.set(true);
    RabbitServer.shared().deleteQueue(queue);
    assertThat(connecting.await(60, TimeUnit.SECONDS)).isTrue();
    publishTo(declared(), 50);
    receiver.close(Duration.ZERO);
    closed.countDown();
    eventually(
        () ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("inbox-") && name.endsWith(queue)));
    eventually(() -> assertThat(producer.messageCount(queue)).isEqualTo(50));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatTheBrokerRefusesIsSaidInItsWords() throws Exception {
    RabbitServer broker = RabbitServer.shared();
    String user = "stranger-" + UUID.randomUUID();
    broker.ctl("add_user", user, "secret");
    broker.ctl("set_permissions", "-p", "/", user, "^$", "^$", "^$");
    declared();
    RabbitTransport stranger =
        RabbitTransport.connect(broker.uri().replaceFirst("//[^@]*@", "//" + user + ":secret@"));
    ReceiveEndpoint existing =
        new ReceiveEndpoint(queue, Topology.existing(), List.of(), 1, 100, 10);
    try (stranger) {
      Receiver refused = stranger.receive(existing, new RecordingReceiver(it -> {}), new Heard());
      eventually(() -> assertRefused(refused.state().failure(), user)); // RabbitMQ 3 lets it look
    } catch (TopologyException e) {
      assertRefused(e.getMessage(), user); // RabbitMQ 4 does not even tell whether there is a queue
    }
  }

  private void assertRefused(@Nullable String said, String user) {
    assertThat(said).contains("ACCESS_REFUSED", queue, user).doesNotContain("secret");
  }

  @Test
  void aBrokerThatGoesWhileTheStoreIsAwayIsSaidToBeGone() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(
            deliveries -> {
              if (away.get()) {
                throw new IllegalStateException("away");
              }
            });
    AtomicBoolean gone = new AtomicBoolean();
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    ConnectionFactory settings = RabbitTransport.settings(RabbitServer.shared().uri());
    settings.setSocketConfigurator(
        socket -> {
          if (gone.get()) {
            throw new IOException("no broker");
          }
          sockets.add(socket);
        });
    RabbitTransport breaking = RabbitTransport.connect(settings);
    Heard heard = new Heard();
    Receiver receiver = breaking.receive(endpoint(), deliveryReceiver, heard);
    publish(1);
    eventually(() -> assertThat(heard.disconnected).hasSize(1));
    eventually(() -> assertThat(sockets).hasSize(2));
    assertThat(receiver.state().connected()).isTrue();
    gone.set(true);
    for (Socket socket : sockets) {
      socket.close();
    }
    eventually(() -> assertThat(receiver.state().connected()).isFalse());
    gone.set(false);
    eventually(() -> assertThat(receiver.state().connected()).isTrue());
    assertThat(receiver.state().consumers()).isZero();
    assertThat(deliveryReceiver.stored()).isEmpty();
    away.set(false);
    eventually(() -> assertThat(receiver.state().consumers()).isOne());
    assertThat(deliveryReceiver.stored()).contains("m0");
    breaking.close();
  }

  @Test
  void whileTheStoreIsKnownToBeAwayNobodyTakesAMessageToFindItOut() throws Exception {
    AtomicBoolean away = new AtomicBoolean();
    RecordingReceiver deliveryReceiver =
        new RecordingReceiver(deliveries -> {}) {
          @Override
          public void probe() {
            if (away.get()) {
              throw new StoreUnavailableException("away", new IOException("refused"));
            }
          }
        };
    List<Receiver> receivers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      receivers.add(transport.receive(endpoint(), deliveryReceiver, new Heard()));
    }
    away.set(true);
    eventually(
        () -> assertThat(receivers).allSatisfy(it -> assertThat(it.state().consumers()).isZero()));
    publish(1);
    eventually(
        () ->
            assertThat(receivers)
                .allSatisfy(
                    it -> {
                      assertThat(it.state().connected()).isTrue();
                      assertThat(it.state().failure())
                          .contains("nothing is taken until it can be stored: away");
                    }));
    assertThat(producer.messageCount(queue)).isOne();
    assertThat(deliveryReceiver.calls()).isZero();
    away.set(false);
    eventually(() -> assertThat(deliveryReceiver.stored()).containsExactly("m0"));
    assertThat(deliveryReceiver.arrivals().get(0).delivery().redelivered()).isFalse();
  }

  /** As they stand in a log, with stack traces. */
  private List<String> lines() {
    return List.copyOf(logged.list).stream()
        .map(
            event ->
                event.getFormattedMessage()
                    + ThrowableProxyUtil.asString(event.getThrowableProxy()))
        .toList();
  }

  private ReceiveEndpoint endpoint() {
    return new ReceiveEndpoint(queue, Topology.classic(), List.of(), 1, 100, 10);
  }

  private void publish(int count) throws Exception {
    publishTo(queue, count);
  }

  private void publishTo(String queue, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      producer.basicPublish("", queue, null, ("m" + i).getBytes(StandardCharsets.UTF_8));
    }
    producer.waitForConfirmsOrDie(30_000);
  }

  private static void eventually(ThrowingRunnable assertion) {
    await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
  }

  /** As Kotlin throws what Java has to declare. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
  private static <E extends Throwable> E undeclared(Throwable failure) throws E {
    throw (E) failure;
  }

  private static class Heard implements ConnectionListener {

    final AtomicInteger connected = new AtomicInteger();
    final List<Throwable> disconnected = new CopyOnWriteArrayList<>();

    @Override
    public void connected(String endpoint) {
      connected.incrementAndGet();
    }

    @Override
    public void disconnected(String endpoint, Throwable cause) {
      disconnected.add(cause);
    }
  }
}
