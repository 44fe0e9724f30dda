package io.inbox4j.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WorkSignalTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  private final WorkSignal signal = new WorkSignal();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void aSignalRaisedBeforeAnybodyWaitsIsNotLost() throws Exception {
    signal.raise();
    signal.await(LONG);
  }

  @Test
  void aRaisedSignalWakesWhoWaits() throws Exception {
    Future<?> waiting = threads.submit(awaiting(new CountDownLatch(1)));
    signal.raise();
    waiting.get(20, TimeUnit.SECONDS);
  }

  @Test
  void raisedTwiceBeforeItIsSeenIsRaisedOnce() throws Exception {
    signal.raise();
    signal.raise();
    long begin = System.nanoTime();
    signal.await(LONG);
    signal.await(Duration.ofMillis(20));
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }

  /** They look in turn, so that it does not matter how many there are. */
  @Test
  void ofSeveralThatWaitOneLooksAtATime() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    long begin = System.nanoTime();
    List<Future<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(
          threads.submit(
              () -> {
                while (looks.get() < 10) {
                  signal.await(Duration.ofMillis(20));
                  looks.incrementAndGet();
                }
                return true;
              }));
    }
    for (Future<?> one : waiting) {
      one.get(20, TimeUnit.SECONDS);
    }
    assertThat(System.nanoTime() - begin)
        .as("the time of %d looks", looks.get())
        .isGreaterThanOrEqualTo((looks.get() - 1) * 20_000_000L);
  }

  @Test
  void waitingEndsByItselfAfterItsTime() throws Exception {
    signal.await(Duration.ofMillis(5));
  }

  @Test
  void aWishForLaterWakesWhoWaitsThenAndOnlyOnce() throws Exception {
    long begin = System.nanoTime();
    signal.raiseAfter(Duration.ofMillis(20));
    signal.await(LONG);
    signal.await(Duration.ofMillis(20));
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(40_000_000);
  }

  @Test
  void theEarliestOfSeveralWishesCounts() throws Exception {
    signal.raiseAfter(Duration.ofMillis(5));
    signal.raiseAfter(LONG);
    signal.await(LONG);
  }

  @Test
  void everyWishIsFulfilledInItsTime() throws Exception {
    long begin = System.nanoTime();
    for (int millis : new int[] {60, 20, 40}) {
      signal.raiseAfter(Duration.ofMillis(millis));
    }
    for (int millis : new int[] {20, 40, 60}) {
      while (System.nanoTime() - begin < Duration.ofMillis(millis).toNanos()) {
        signal.await(LONG);
      }
    }
  }

  @Test
  void ofVeryManyWishesTheEarliestAreKept() throws Exception {
    for (int minutes = 10_000; minutes > 0; minutes--) {
      signal.raiseAfter(Duration.ofMinutes(minutes));
    }
    signal.raiseAfter(Duration.ofMillis(5));
    signal.await(LONG);
  }

  @Test
  void aWishReachesWhoWaitsAlready() throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    Future<?> waiting = threads.submit(awaiting(ready));
    ready.await();
    signal.raiseAfter(Duration.ofMillis(1));
    waiting.get(20, TimeUnit.SECONDS);
  }

  @Test
  void closingLetsEverybodyGoForGood() throws Exception {
    CountDownLatch ready = new CountDownLatch(4);
    List<Future<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(threads.submit(awaiting(ready)));
    }
    waiting.add(
        threads.submit(
            () -> {
              ready.countDown();
              signal.pause(LONG);
              return true;
            }));
    ready.await();
    signal.close();
    for (Future<?> one : waiting) {
      one.get(20, TimeUnit.SECONDS);
    }
    signal.await(LONG);
    signal.pause(LONG);
  }

  @Test
  void aPauseIsNotEndedByARaisedSignal() throws Exception {
    signal.raise();
    long begin = System.nanoTime();
    signal.pause(Duration.ofMillis(20));
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
    signal.await(LONG);
  }

  @Test
  void aWishForATurnDoesNotReplaceAWishForLater() throws Exception {
    signal.raiseAfter(Duration.ofMillis(50));
    signal.turnAfter(Duration.ofMillis(1));
    signal.await(LONG);
    long begin = System.nanoTime();
    signal.await(LONG);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }

  @Test
  void aWishForLaterIsKeptWhenWhoKnowsOfItIsWokenForSomethingElse() throws Exception {
    Thread one = waiting();
    Thread other = waiting();
    signal.raiseAfter(Duration.ofMillis(200));
    signal.raise();
    one.join();
    other.join();
  }

  /** A thread that waits by now. */
  private Thread waiting() {
    Thread thread = new Thread(new FutureTask<>(awaiting(new CountDownLatch(1))));
    thread.setDaemon(true);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private java.util.concurrent.Callable<Boolean> awaiting(CountDownLatch ready) {
    return () -> {
      ready.countDown();
      signal.await(LONG);
      return true;
    };
  }
}
