package io.inbox4j.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundLoopTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** Whether the loop went on, after each pause. */
  private final BlockingQueue<Boolean> pauses = new LinkedBlockingQueue<>();

  private final CountDownLatch begun = new CountDownLatch(1);

  private BackgroundLoop pausing(Duration time) {
    return new BackgroundLoop(
            "loop",
            "work",
            loop -> {
              begun.countDown();
              pauses.add(loop.pause(time));
            })
        .start();
  }

  @Test
  void aPauseEndsAfterItsTime() throws InterruptedException {
    BackgroundLoop loop = pausing(Duration.ofMillis(1));
    assertThat(pauses.take()).isTrue();
    assertThat(pauses.take()).isTrue();
    loop.close(LONG);
  }

  @Test
  void aPauseEndsWhenTheLoopIsWokenEvenBeforehand() throws InterruptedException {
    BackgroundLoop loop = new BackgroundLoop("loop", "work", it -> pauses.add(it.pause(LONG)));
    loop.wake();
    loop.start();
    assertThat(pauses.take()).isTrue();
    loop.wake();
    assertThat(pauses.take()).isTrue();
    loop.close(LONG);
  }

  @Test
  void aPauseEndsWhenTheLoopIsClosedAndIsTheLastOne() throws InterruptedException {
    BackgroundLoop loop = pausing(LONG);
    begun.await();
    loop.close(LONG);
    assertThat(pauses).containsExactly(false);
    assertThat(loop.isClosed()).isTrue();
  }

  @Test
  void aStepThatTakesTooLongIsInterruptedWhenTheLoopIsClosed() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    BackgroundLoop loop =
        new BackgroundLoop(
                "loop",
                "work",
                it -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                  }
                })
            .start();
    begun.await();
    loop.close(Duration.ofMillis(10));
    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aStrayInterruptDoesNotEndTheLoop() throws InterruptedException {
    CountDownLatch rounds = new CountDownLatch(3);
    BackgroundLoop loop =
        new BackgroundLoop(
                "loop",
                "work",
                it -> {
                  rounds.countDown();
                  Thread.currentThread().interrupt();
                  it.pause(LONG);
                })
            .start();
    assertThat(rounds.await(20, TimeUnit.SECONDS)).isTrue();
    loop.interrupt();
  }
}
