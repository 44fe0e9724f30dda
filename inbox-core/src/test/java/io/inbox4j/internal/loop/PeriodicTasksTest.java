package io.inbox4j.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeriodicTasksTest {

  private static final Duration INTERVAL = Duration.ofMillis(1);

  @Test
  void itGoesOnWhateverIsThrownAndOneThatFailsHoldsUpNoOther() throws InterruptedException {
    CountDownLatch failures = new CountDownLatch(3);
    CountDownLatch rounds = new CountDownLatch(20);
    Runnable failing =
        () -> {
          failures.countDown();
          throw new AssertionError("always");
        };
    try (PeriodicTasks upkeep = new PeriodicTasks(INTERVAL, List.of(failing, rounds::countDown))) {
      upkeep.start();
      assertThat(rounds.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(failures.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anInterruptThatWasLeftBehindDoesNotEndIt() throws InterruptedException {
    CountDownLatch rounds = new CountDownLatch(3);
    Runnable interrupting =
        () -> {
          rounds.countDown();
          Thread.currentThread().interrupt();
        };
    try (PeriodicTasks upkeep = new PeriodicTasks(INTERVAL, List.of(interrupting))) {
      upkeep.start();
      assertThat(rounds.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whatHangsIsInterruptedWhenItIsClosed() throws InterruptedException {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    PeriodicTasks upkeep =
        new PeriodicTasks(
            INTERVAL,
            List.of(
                () -> {
                  hanging.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                  }
                }));
    upkeep.start();
    hanging.await();
    upkeep.close();
    assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
