package io.inbox4j.contract.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.InboxTransport.Receiver;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every transport must do. A transport's test extends it and gives it a fixture; the contract
 * knows nothing of a transport but its port.
 */
public abstract class InboxTransportContract {

  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int BATCH_SIZE = 10;

  private final String queue = "contract-" + UUID.randomUUID();
  private final List<InboxTransport> transports = new ArrayList<>();
  private final ReceiverProbe probe = new ReceiverProbe();
  private final ConnectionLog connections = new ConnectionLog();
  private TransportFixture fixture;
  private InboxTransport transport;

  /** The fixture of one test, with a broker that all tests of a class may share. */
  protected abstract TransportFixture newFixture();

  @BeforeEach
  void open() {
    fixture = newFixture();
    transport = another();
  }

  @AfterEach
  void close() {
    transports.forEach(InboxTransport::close);
    fixture.close();
  }

  @Test
  void deliveriesAreValidatedAndStoredInOrder() {
    receive();
    publish(0, 50);
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 50)));
    assertThat(probe.stored()).hasOnlyElementsOfType(ValidatedDelivery.Event.class);
    assertThat(probe.stored()).noneMatch(it -> it.delivery().redelivered());
    assertThat(probe.batches())
        .allSatisfy(it -> assertThat(it).hasSizeLessThanOrEqualTo(BATCH_SIZE));
  }

  @Test
  void deliveriesThatAreNotValidEventsAreStoredAndAcknowledgedLikeOthers() {
    Receiver receiver = receive();
    publish(ReceiverProbe.BAD);
    publish(0, 1);
    eventually(() -> assertThat(probe.bodies()).containsExactly(ReceiverProbe.BAD, "m0"));
    assertThat(probe.stored().get(0)).isInstanceOf(ValidatedDelivery.Rejected.class);
    receiver.close(DEADLINE);
    assertNothingIsLeft();
  }

  @Test
  void aDeliveryIsAsItsProducerMadeIt() {
    Map<String, @Nullable Object> headers = new HashMap<>();
    headers.put("text", "ü");
    headers.put("number", 7);
    headers.put("flag", true);
    headers.put("nothing", null);
    headers.put("list", List.of("a", 1));
    headers.put("table", Map.of("a", Map.of("b", "c")));
    byte[] body = {0, 1, (byte) 0xff, '{'};
    receive();
    fixture.publish(
        queue,
        new Delivery(
            "id-7", "created", "text/plain", "utf-8", "correlation", "shop", headers, body, false));
    eventually(() -> assertThat(probe.stored()).hasSize(1));
    Delivery delivery = probe.stored().get(0).delivery();
    assertThat(delivery.messageId()).isEqualTo("id-7");
    assertThat(delivery.type()).isEqualTo("created");
    assertThat(delivery.contentType()).isEqualTo("text/plain");
    assertThat(delivery.contentEncoding()).isEqualTo("utf-8");
    assertThat(delivery.correlationId()).isEqualTo("correlation");
    assertThat(delivery.source()).isEqualTo("shop");
    assertThat(delivery.headers()).isEqualTo(headers);
    assertThat(delivery.body()).isEqualTo(body);
    assertThat(delivery.redelivered()).isFalse();
  }

  @Test
  void whatAProducerLeavesOutIsNull() {
    receive();
    fixture.publish(
        queue, new Delivery(null, null, null, null, null, null, Map.of(), new byte[0], false));
    eventually(() -> assertThat(probe.stored()).hasSize(1));
    Delivery delivery = probe.stored().get(0).delivery();
    assertThat(
            Stream.of(
                Arrays.asList(
                    delivery.messageId(),
                    delivery.type(),
                    delivery.contentType(),
                    delivery.contentEncoding(),
                    delivery.correlationId(),
                    delivery.source())))
        .allSatisfy(it -> assertThat(it).containsOnlyNulls());
    assertThat(delivery.headers()).isEmpty();
    assertThat(delivery.body()).isEmpty();
  }

  @Test
  void whatIsStoredIsAcknowledged() {
    Receiver receiver = receive();
    publish(0, 25);
    eventually(() -> assertThat(probe.bodies()).hasSize(25));
    receiver.close(DEADLINE);
    assertNothingIsLeft();
  }

  @Test
  void whatIsNotStoredYetIsNotAcknowledged() {
    CountDownLatch never = new CountDownLatch(1);
    probe.beforeStoring = batch -> await(never);
    Receiver receiver = receive();
    publish(0, 5);
    eventually(() -> assertThat(probe.calls()).isPositive());
    receiver.close(Duration.ZERO);
    ReceiverProbe next = new ReceiverProbe();
    receive(another(), next, 1);
    eventually(() -> assertThat(next.bodies()).isEqualTo(bodies(0, 5)));
    assertThat(next.stored().get(0).delivery().redelivered()).isTrue();
    never.countDown();
  }

  @Test
  void whatCouldNotBeStoredIsOfferedAgain() {
    AtomicInteger failures = new AtomicInteger(3);
    probe.beforeStoring =
        batch -> {
          if (failures.getAndDecrement() > 0) {
            throw new StoreUnavailableException("away", new IllegalStateException("away"));
          }
        };
    Receiver receiver = receive();
    publish(0, 25);
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 25)));
    receiver.close(DEADLINE);
    assertNothingIsLeft();
  }

  @Test
  void whateverAReceiverThrowsItsDeliveriesAreOfferedAgain() {
    List<Throwable> failures =
        new ArrayList<>(
            List.of(new IllegalStateException("a defect"), new AssertionError("a defect")));
    probe.beforeStoring =
        batch -> {
          if (!failures.isEmpty()) {
            InboxTransportContract.<RuntimeException>sneak(failures.remove(0));
          }
        };
    receive();
    publish(0, 5);
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 5)));
    assertThat(failures).isEmpty();
  }

  @Test
  void nothingIsTakenWhileItCouldNotBeStored() {
    probe.onProbe =
        () -> {
          throw new StoreUnavailableException("away", new IllegalStateException("away"));
        };
    receive();
    ReceiverProbe ready = new ReceiverProbe();
    receive(another(), ready, 1);
    publish(0, 5);
    eventually(() -> assertThat(ready.bodies()).isEqualTo(bodies(0, 5)));
    assertThat(probe.calls()).isZero();
    probe.onProbe = () -> {};
  }

  @Test
  void aListenerIsToldOfTheConnectionAndTheStateShowsIt() {
    Receiver receiver = receive(transport, probe, 2);
    eventually(() -> assertThat(connections.told()).containsExactly("connected " + queue));
    eventually(() -> assertThat(receiver.state().consumers()).isEqualTo(2));
    assertThat(receiver.state().connected()).isTrue();
    receiver.close(DEADLINE);
    eventually(() -> assertThat(receiver.state().consumers()).isZero());
  }

  @Test
  void aLostConnectionIsToldAndReceivingGoesOn() {
    receive();
    eventually(() -> assertThat(connections.told()).hasSize(1));
    fixture.breakConnections();
    eventually(
        () ->
            assertThat(connections.told())
                .startsWith("connected " + queue, "disconnected " + queue, "connected " + queue));
    publish(0, 5);
    eventually(() -> assertThat(probe.bodies()).containsAll(bodies(0, 5)));
  }

  @Test
  void whatWasInFlightWhenTheConnectionWasLostIsRedelivered() {
    CountDownLatch broken = new CountDownLatch(1);
    probe.beforeStoring =
        batch -> {
          if (broken.getCount() > 0) {
            await(broken);
            throw new StoreUnavailableException("away", new IllegalStateException("away"));
          }
        };
    receive();
    publish(0, 1);
    eventually(() -> assertThat(probe.calls()).isOne());
    fixture.breakConnections();
    eventually(() -> assertThat(connections.told()).contains("disconnected " + queue));
    broken.countDown();
    eventually(
        () ->
            assertThat(probe.stored())
                .anySatisfy(it -> assertThat(it.delivery().redelivered()).isTrue()));
    assertThat(new HashSet<>(probe.bodies())).isEqualTo(new HashSet<>(bodies(0, 1)));
  }

  @Test
  void aListenerThatThrowsChangesNothing() {
    ConnectionListener broken =
        new ConnectionListener() {
          @Override
          public void connected(String endpoint) {
            throw new IllegalStateException("a defect");
          }

          @Override
          public void disconnected(String endpoint, Throwable cause) {
            throw new IllegalStateException("a defect");
          }
        };
    transport.receive(endpoint(1), probe, broken);
    publish(0, 5);
    eventually(() -> assertThat(probe.bodies()).isEqualTo(bodies(0, 5)));
  }

  @Test
  void severalReceiversOfAQueueShareItsDeliveries() {
    ReceiverProbe other = new ReceiverProbe();
    receive(transport, probe, 2);
    receive(another(), other, 1);
    publish(0, 200);
    eventually(
        () ->
            assertThat(Stream.concat(probe.bodies().stream(), other.bodies().stream()))
                .containsExactlyInAnyOrderElementsOf(bodies(0, 200)));
  }

  @Test
  void closingLetsWhatIsInFlightBeStoredAndAcknowledged() {
    CountDownLatch stored = new CountDownLatch(1);
    probe.beforeStoring = batch -> await(stored);
    Receiver receiver = receive();
    publish(0, 1);
    eventually(() -> assertThat(probe.calls()).isOne());
    CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> receiver.close(DEADLINE));
    assertThat(closing).isNotDone();
    stored.countDown();
    assertThat(closing).succeedsWithin(DEADLINE);
    assertThat(probe.bodies()).isEqualTo(bodies(0, 1));
    assertNothingIsLeft();
  }

  @Test
  void closingTakesNoLongerThanItsDeadlineAllows() {
    CountDownLatch never = new CountDownLatch(1);
    probe.beforeStoring = batch -> await(never);
    Receiver receiver = receive();
    publish(0, 1);
    eventually(() -> assertThat(probe.calls()).isOne());
    assertThat(CompletableFuture.runAsync(() -> receiver.close(Duration.ofMillis(100))))
        .succeedsWithin(DEADLINE);
    assertThat(probe.bodies()).isEmpty();
    never.countDown();
  }

  @Test
  void aClosedTransportReceivesNothing() {
    receive();
    eventually(() -> assertThat(connections.told()).hasSize(1));
    transport.close();
    ReceiverProbe next = new ReceiverProbe();
    receive(another(), next, 1);
    publish(0, 5);
    eventually(() -> assertThat(next.bodies()).isEqualTo(bodies(0, 5)));
    assertThat(probe.calls()).isZero();
    transport.close();
  }

  private InboxTransport another() {
    InboxTransport another = fixture.newTransport();
    transports.add(another);
    return another;
  }

  private Receiver receive() {
    return receive(transport, probe, 1);
  }

  private Receiver receive(InboxTransport by, ReceiverProbe receiver, int consumers) {
    return by.receive(
        endpoint(consumers), receiver, receiver == probe ? connections : new ConnectionLog());
  }

  private ReceiveEndpoint endpoint(int consumers) {
    return new ReceiveEndpoint(queue, Topology.quorum(), List.of(), consumers, 50, BATCH_SIZE);
  }

  /** The messages m-first and so on, this many. */
  private void publish(int first, int count) {
    bodies(first, count).forEach(this::publish);
  }

  private void publish(String body) {
    fixture.publish(
        queue,
        new Delivery(
            UUID.randomUUID().toString(),
            "recorded-event",
            "application/json",
            null,
            null,
            null,
            Map.of(),
            body.getBytes(StandardCharsets.UTF_8),
            false));
  }

  private static List<String> bodies(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(n -> "m" + n).toList();
  }

  /** What comes next is first, so nothing was left in the queue. */
  private void assertNothingIsLeft() {
    ReceiverProbe next = new ReceiverProbe();
    receive(another(), next, 1);
    publish("last");
    eventually(() -> assertThat(next.bodies()).containsExactly("last"));
  }

  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // thrown, never returned
  private static <E extends Throwable> void sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  /** Repeats an assertion until it holds, for 30 seconds at most. */
  private static void eventually(Runnable assertion) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
