package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Inline transactions of one subscription that run at the same time. */
@Timeout(60)
class InlineAtOnceTest {

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

  @Test
  void partsOfABatchAreHandledAtTheSameTime() {
    CyclicBarrier together = new CyclicBarrier(4);
    try (Service service =
        receiving(
            (event, context) -> {
              together.await(20, TimeUnit.SECONDS);
              Service.effect(event, context);
            },
            queue -> queue.concurrency(4))) {
      service.deliver(4);
      assertThat(service.effects()).containsExactly("0", "1", "2", "3");
      assertThat(service.statuses()).hasSize(4).containsOnly("processed 1");
    }
  }

  @Test
  void theBatchIsNotAcknowledgedBeforeItsSlowestPartIsCommitted() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        receiving(
            (event, context) -> {
              if (event.n() == 0) {
                goOn.await();
              }
              Service.effect(event, context);
            },
            queue -> queue.concurrency(2))) {
      Thread delivering = new Thread(() -> service.deliver(10));
      delivering.start();
      service.awaitAll("processed", 9);
      assertThat(service.effects()).hasSize(9).doesNotContain("0");
      assertThat(service.heard.of("received")).isEmpty();
      assertThat(delivering.isAlive()).isTrue();
      goOn.countDown();
      delivering.join();
      assertThat(service.statuses()).hasSize(10).containsOnly("processed 1");
      assertThat(service.heard.of("received")).hasSize(10);
      assertThat(service.heard.of("processed")).hasSize(10);
    }
  }

  @Test
  void whatIsRedeliveredAfterOtherPartsWereCommittedIsADuplicate() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch allPublished = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        receiving(
            (event, context) -> {
              if (event.n() == 10) {
                first.countDown();
                allPublished.await();
              } else if (event.n() == 0) {
                goOn.await();
              }
              Service.effect(event, context);
            },
            queue -> queue.concurrency(2))) {
      List<Delivery> deliveries = Service.deliveries(11);
      service.transport.publish(Service.QUEUE, deliveries.get(10));
      first.await();
      deliveries.subList(0, 10).forEach(it -> service.transport.publish(Service.QUEUE, it));
      allPublished.countDown(); // so that the others are one batch
      await().until(() -> service.effects().containsAll(List.of("1", "2")));
      service.transport.disconnect(new IllegalStateException("cut"));
      goOn.countDown();
      await().until(() -> service.heard.of("duplicate").size() >= 3);
      service.inbox.startProcessing();
      service.awaitAll("processed", 11);
      assertThat(service.effects()).hasSize(11).doesNotHaveDuplicates();
    }
  }

  @Test
  void noMoreRunAtOnceThanTheSubscriptionMayHandle() {
    try (Service service = receiving(this::count, queue -> queue.concurrency(3))) {
      service.deliver(30);
      assertThat(most).hasValue(3);
      service.inbox.control(Service.QUEUE).concurrency(1);
      most.set(0);
      service.transport.deliver(Service.QUEUE, Service.deliveries(40).subList(30, 40));
      assertThat(most).hasValue(1);
      assertThat(service.statuses()).hasSize(40).containsOnly("processed 1");
    }
  }

  @Test
  void allConsumersTogetherKeepTheLimit() throws Exception {
    try (Service service = receiving(this::count, queue -> queue.consumers(4).concurrency(2))) {
      List<Thread> consumers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        List<Delivery> batch = Service.deliveries(40).subList(10 * i, 10 * i + 10);
        consumers.add(new Thread(() -> service.transport.deliver(Service.QUEUE, batch)));
      }
      consumers.forEach(Thread::start);
      for (Thread consumer : consumers) {
        consumer.join();
      }
      assertThat(most).hasValue(2);
      assertThat(service.statuses()).hasSize(40).containsOnly("processed 1");
    }
  }

  @Test
  void theLimitOfATypeKeepsNoMessageFromBeingHandledInline() {
    try (Service service =
        receiving(this::count, queue -> queue.concurrency(4).concurrency(Created.class, 2))) {
      service.deliver(20);
      assertThat(most).hasValue(2);
      assertThat(service.statuses()).hasSize(20).containsOnly("processed 1");
    }
  }

  @Test
  void theLimitOfAllSubscriptionsKeepsNoMessageFromBeingHandledInline() {
    try (Service service =
        receiving(
            this::count, queue -> queue.concurrency(4), builder -> builder.maxConcurrency(2))) {
      service.deliver(20);
      assertThat(most).hasValue(2);
      assertThat(service.statuses()).hasSize(20).containsOnly("processed 1");
    }
  }

  @Test
  void messagesWithAKeyAreHandledInTheOrderOfTheirArrival() {
    try (Service service =
        receiving(
            this::count,
            queue ->
                queue.concurrency(4).orderedBy(Created.class, event -> "key" + event.n() % 3))) {
      service.deliver(30);
      assertThat(handled).containsExactlyElementsOf(numbers(30));
      assertThat(service.statuses()).hasSize(30).containsOnly("processed 1");
    }
  }

  @Test
  void whereASingleConsumerKeepsTheOrderItIsKept() {
    try (Service service =
        receiving(
            this::count,
            queue -> queue.concurrency(4).topology(Topology.quorum().withSingleActiveConsumer()))) {
      service.deliver(30);
      assertThat(handled).containsExactlyElementsOf(numbers(30));
    }
  }

  @Test
  void theFirstOfSeveralBodiesWithTheSameIdIsTheOneThatCounts() {
    Delivery other =
        Messages.delivery(
            Messages.id(0).toString(), Messages.TYPE, "correlation", "shop", "{\"n\":7}");
    try (Service service =
        receiving(
            (event, context) -> {
              Thread.sleep(event.n() == 0 ? 50 : 0);
              Service.effect(event, context);
            },
            queue -> queue.concurrency(4))) {
      service.transport.deliver(
          Service.QUEUE,
          Stream.of(List.of(Messages.created(0), other), Service.deliveries(3))
              .flatMap(List::stream)
              .toList());
      assertThat(service.effects()).containsExactly("0", "1", "2");
      assertThat(service.heard.of("received")).hasSize(3);
      assertThat(service.heard.of("duplicate")).hasSize(1);
      assertThat(service.quarantineDetails()).hasSize(1);
    }
  }

  @Test
  void anInterruptEndsAllHandlersInFlightAndTheirMessagesAreStored() throws Exception {
    CountDownLatch started = new CountDownLatch(4);
    AtomicInteger interrupted = new AtomicInteger();
    Service service =
        receiving(
            (event, context) -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
              }
            },
            queue -> queue.concurrency(4));
    Thread delivering = new Thread(() -> service.deliver(20));
    delivering.start();
    started.await();
    service.inbox.close(Duration.ofMillis(100));
    delivering.interrupt();
    delivering.join();
    assertThat(interrupted).hasValue(4);
    assertThat(service.statuses()).hasSize(20).containsOnly("pending 0");
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("inbox-inline"));
  }

  private void count(Created event, Object context) throws InterruptedException {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    handled.add(event.n());
    Thread.sleep(5);
    running.decrementAndGet();
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private static Service receiving(
      EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    return receiving(handler, options, builder -> {});
  }

  /** A service that only receives, and handles every message in a transaction of its own. */
  private static Service receiving(
      EventHandler<Created> handler,
      Consumer<SubscriptionBuilder> options,
      Consumer<InboxBuilder> configuration) {
    Service service =
        Service.with(
            builder -> {
              configuration.accept(builder);
              builder.subscribe(
                  Service.QUEUE,
                  queue -> options.accept(queue.on(Created.class, handler).inline().isolated()));
            });
    service.inbox.startReceiving();
    return service;
  }
}
