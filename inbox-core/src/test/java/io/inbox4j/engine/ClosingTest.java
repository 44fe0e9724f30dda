package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is in flight when an inbox is closed. */
@Timeout(60)
class ClosingTest {

  @Test
  void closingLetsTheBatchInFlightFinish() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Service service =
        Service.handling(
            (event, context) -> {
              started.countDown();
              goOn.await();
              Service.effect(event, context);
            });
    service.deliver(1);
    started.await();
    Thread closing = new Thread(() -> service.inbox.close(Duration.ofSeconds(30)));
    closing.start();
    goOn.countDown();
    closing.join();
    assertThat(service.effects()).containsExactly("0");
    assertThat(service.statuses()).containsExactly("processed 1");
  }

  @Test
  void aHandlerThatDoesNotReturnIsInterruptedAtTheDeadlineAndUndoneWithoutUsingUpAnAttempt()
      throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Service service =
        Service.handling(
            (event, context) -> {
              Service.effect(event, context);
              started.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
    service.deliver(2);
    started.await();
    service.inbox.close(Duration.ofMillis(100));
    service.inbox.close(Duration.ofMillis(100));
    service.inbox.close();
    interrupted.await();
    assertThat(service.effects()).isEmpty();
    assertThat(service.statuses()).containsExactly("pending 0", "pending 0");
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("inbox-worker-" + Service.QUEUE));
  }

  @Test
  void afterAnInterruptedCloseTheNextProcessHandlesEverythingOnce() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Service first =
        Service.handling(
            (event, context) -> {
              Service.effect(event, context);
              started.countDown();
              never.await();
            });
    first.deliver(2);
    started.await();
    first.inbox.close(Duration.ofMillis(50));
    try (Service second =
        Service.with(
            first.store, inbox -> inbox.subscribe(Service.QUEUE, Created.class, Service::effect))) {
      second.start();
      second.awaitAll("processed", 2);
      assertThat(second.statuses()).containsOnly("processed 1");
      assertThat(first.effects()).containsExactly("0", "1");
    }
  }
}
